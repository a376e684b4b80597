"""The product of two matrices, cut up where the matrix library is slow.

For a handful of rows OpenBLAS spends more time on packing a large weight than on multiplying. Its
kernels for small matrices do not pack, so the weight is handed over in blocks, which are views of
it. Which way is taken follows from the shapes alone. Measured in `benchmarks/RESULTS.md`.
"""

from __future__ import annotations

import numpy as np

from pellucid.ops.half import HalfMatrix
from pellucid.ops.operation import Array

LARGE = 1 << 17
"""From so many numbers on a weight is not packed for free."""
HANDFUL = range(2, 13)
"""So many rows; a single one needs no packing, and more of them are worth it."""
BLOCK = 64


def multiply(x: Array, w: Array | HalfMatrix) -> Array:
    """`x · w`, for `x` [row, in] and `w` [in, out]."""
    product: Array
    if isinstance(w, HalfMatrix):
        return w.left_multiply(x)
    # Of a table read the other way round, as a tied head does, blocks gain nothing.
    handful = len(x) in HANDFUL and w.size >= LARGE and w.flags.c_contiguous
    if handful and w.shape[1] >= w.shape[0] and not w.shape[1] % BLOCK:
        product = by_columns(x, w)
    elif handful and not w.shape[0] % BLOCK:
        product = by_rows(x, w)
    else:
        product = x.dot(w)
    return product


def by_columns(x: Array, w: Array) -> Array:
    """A block of the outputs after another."""
    blocks = w.reshape(len(w), -1, BLOCK).swapaxes(0, 1)
    outputs: Array = np.matmul(x, blocks)
    return outputs.swapaxes(0, 1).reshape(len(x), -1)


def by_rows(x: Array, w: Array) -> Array:
    """What a block of the inputs adds, added up."""
    pieces = x.reshape(len(x), -1, BLOCK).swapaxes(0, 1)
    sums: Array = np.add.reduce(np.matmul(pieces, w.reshape(-1, BLOCK, w.shape[1])), axis=0)
    return sums
