"""The product of two matrices, cut up where the matrix library is slow.

For a handful of rows OpenBLAS spends more time on packing a large weight than on multiplying. Its
kernels for small matrices do not pack, so the weight is handed over in blocks, which are views of
it. Which way is taken follows from the shapes alone. Measured in `benchmarks/RESULTS.md`.
"""

from __future__ import annotations

import numpy as np

from pellucid.ops.operation import Array

LARGE = 1 << 17
"""From so many numbers on a weight is not packed for free."""
HANDFUL = range(2, 13)
"""So many rows; a single one needs no packing, and more of them are worth it."""
BLOCK = 64


def multiply(x: Array, w: Array) -> Array:
    """`x · w`, for `x` [row, in] and `w` [in, out]."""
    if w.size < LARGE:
        return x.dot(w)
    if w.flags.f_contiguous and not w.flags.c_contiguous:
        # A table read the other way round, as a tied head does: multiply along its own rows.
        return w.T.dot(x.T).T
    if len(x) not in HANDFUL:
        return x.dot(w)
    rows, columns = w.shape
    if columns >= rows and columns % BLOCK == 0:
        return by_columns(x, w)
    if rows % BLOCK == 0:
        return by_rows(x, w)
    return x.dot(w)


def by_columns(x: Array, w: Array) -> Array:
    """A block of the outputs after another."""
    blocks = w.reshape(len(w), -1, BLOCK).swapaxes(0, 1)
    return np.matmul(x, blocks).swapaxes(0, 1).reshape(len(x), -1)


def by_rows(x: Array, w: Array) -> Array:
    """What a block of the inputs adds, added up."""
    pieces = x.reshape(len(x), -1, BLOCK).swapaxes(0, 1)
    return np.add.reduce(np.matmul(pieces, w.reshape(-1, BLOCK, w.shape[1])), axis=0)
