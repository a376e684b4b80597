"""Numbers of 16 bits, bfloat16 and float16, made float32: exactly, for each of them is one."""

from __future__ import annotations

import numpy as np

from pellucid.ops.operation import Array

BFLOAT16 = np.dtype("V2")
"""How an array holds bfloat16, which NumPy lacks: two bytes each, without arithmetic."""


def widen(array: Array) -> Array:
    """Float32 of numbers of 16 bits; any other array as it is.

    A bfloat16 is the first half of a float32.
    """
    if array.dtype == BFLOAT16:
        halves = array.view("<u2")
        wide: Array = np.left_shift(halves, 16, dtype=np.uint32).view(np.float32)
        return wide
    if array.dtype == np.float16:
        return array.astype(np.float32)
    return array
