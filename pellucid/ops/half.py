"""Numbers of 16 bits, bfloat16 and float16: kept as they are, and made float32 to be used.

Every one of them is a float32, so that widening rounds nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.ops.operation import Array

BFLOAT16 = np.dtype("V2")
"""How an array holds bfloat16, which NumPy lacks: two bytes each, without arithmetic."""
BLOCK = 1 << 18
"""So many numbers are widened at a time: what the processor's cache holds."""


def is_half(array: Array) -> bool:
    """Whether these are numbers of 16 bits."""
    return array.dtype in (BFLOAT16, np.float16)


def widen(array: Array) -> Array:
    """Float32 of numbers of 16 bits; any other array as it is.

    A bfloat16 is the first half of a float32.
    """
    if array.dtype == BFLOAT16:
        wide: Array = np.left_shift(array.view("<u2"), 16, dtype=np.uint32).view(np.float32)
        return wide
    return array.astype(np.float32) if array.dtype == np.float16 else array


class HalfMatrix:
    """A matrix [in, out], or a table [row, column], of 16 bits that reads as one of float32.

    Half the memory; each product widens it anew, block by block. What NumPy does with it otherwise
    widens the whole.
    """

    dtype = np.dtype(np.float32)
    ndim = 2

    def __init__(self, stored: Array) -> None:
        self.stored = stored

    @property
    def shape(self) -> tuple[int, ...]:
        return self.stored.shape

    @property
    def size(self) -> int:
        return self.stored.size

    @property
    def nbytes(self) -> int:
        return self.stored.nbytes

    @property
    def T(self) -> HalfMatrix:
        return HalfMatrix(self.stored.T)

    def __len__(self) -> int:
        return len(self.stored)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """All of it, widened."""
        return widen(self.stored).astype(dtype or self.dtype, copy=False)

    def take(self, index: Array, axis: int) -> Array:
        """Some rows, widened, as of NumPy's `take`."""
        return widen(self.stored.take(index, axis=axis))

    def left_multiply(self, x: Array) -> Array:
        """`x · w`, for `x` [row, in]."""
        rows, columns = self.shape
        step = max(1, BLOCK // rows)
        out = np.empty((len(x), columns), np.result_type(x, self.dtype))
        for start in range(0, columns, step):
            block = slice(start, start + step)
            out[:, block] = x.dot(widen(self.stored[:, block]))
        return out
