"""Sums and maxima along the rows and columns of a matrix, quick for small ones too.

For the few numbers of a toy's row, a product with ones costs a fifth of a NumPy reduction.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pellucid.ops.operation import Array

SHORT = 64
"""Up to this many numbers a row is summed by a product; beyond, pairwise, which rounds less."""
PIECE = 256
"""How many numbers of a long row are summed at a time where NumPy does not sum pairwise."""


def as_rows(x: Array) -> Array:
    """`[…, width]` as a matrix `[row, width]`."""
    return x.reshape(-1, x.shape[-1])


def row_sums(x: Array) -> Array:
    """The sum along the last dim, which stays with length 1."""
    width = x.shape[-1]
    if width > SHORT:
        if x.strides[-1] == x.itemsize or width < 2 * PIECE:
            return np.add.reduce(x, axis=-1, keepdims=True)
        # Numbers that do not lie side by side NumPy adds one after another, and rounds each time.
        whole = width // PIECE * PIECE
        pieces = np.add.reduce(x[..., :whole].reshape(*x.shape[:-1], -1, PIECE), axis=-1)
        rest = np.add.reduce(x[..., whole:], axis=-1, keepdims=True)
        return np.add.reduce(pieces, axis=-1, keepdims=True) + rest
    sums: Array = x.reshape(-1, width).dot(filled(width, 1, 1.0, x.dtype))
    return sums.reshape(*x.shape[:-1], 1)


def row_maxima(x: Array) -> Array:
    """The largest number along the last dim, which stays with length 1; NaN where there is one."""
    width = x.shape[-1]
    if width > SHORT:
        return np.maximum.reduce(x, axis=-1, keepdims=True)
    rows = x.reshape(-1, width)
    cells = rows.argmax(axis=1)
    cells += starts(len(rows), width)
    largest: Array = rows.take(cells)
    return largest.reshape(*x.shape[:-1], 1)


def column_sums(rows: Array) -> Array:
    """`[row, width]` added up to `[width]`."""
    sums: Array = np.dot(filled(1, len(rows), 1.0, rows.dtype), rows)[0]
    return sums


@lru_cache(maxsize=64)
def averaging(width: int, dtype: np.dtype) -> Array:
    """What a matrix `[row, width]` is multiplied with to get the mean of each row.

    A column, `[width, 1]`; for short rows a square, which gives every mean `width` times: NumPy
    adds two matrices of one shape in a third of the time that a matrix and a column take.
    """
    return filled(width, width if width <= SHORT else 1, 1 / width, dtype)


@lru_cache(maxsize=256)
def filled(rows: int, columns: int, value: float, dtype: np.dtype) -> Array:
    """A matrix of one number, `[row, column]`, kept for the next time."""
    matrix = np.full((rows, columns), value, dtype=dtype)
    matrix.flags.writeable = False
    return matrix


@lru_cache(maxsize=256)
def row(numbers: tuple[float, ...]) -> Array:
    """Numbers as an array `[number]`, kept for the next time."""
    array = np.array(numbers)
    array.flags.writeable = False
    return array


@lru_cache(maxsize=256)
def starts(rows: int, width: int) -> Array:
    """Where each row begins when a matrix is read as one run of numbers, `[row]`."""
    begin = np.arange(0, rows * width, width)
    begin.flags.writeable = False
    return begin
