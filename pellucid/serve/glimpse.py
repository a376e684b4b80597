"""A large tensor at a glance: how far its numbers reach, and each pixel's largest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import PellucidError

PIECE = 2**20
"""Numbers that are looked through at a time: so many are copied, however large the tensor is."""


def glimpse(values: NDArray[Any], most: Sequence[int | None]) -> NDArray[np.float32]:
    """The extent of a matrix, then its picture.

    Args:
        values: `[*dims]`, two dims at most.
        most: pixels along each dim at most; None for one of each number.

    Returns:
        Flat: the size of the largest number, how many are infinite, how many are none at all; then
        for each pixel, row by row, the number farthest from zero under it. Among numbers that are
        equally far the positive one counts, and what is infinite is passed over. NaN where one of
        them is none.

    Raises:
        PellucidError: it has more than two dims.
    """
    if values.ndim > 2:
        raise PellucidError(f"A picture has two sides, not {values.ndim}: give places of the rest.")
    rows, columns = values.shape if values.ndim == 2 else (1, values.size)
    down, across = ((None,) * (2 - len(most)) + tuple(most))[-2:]
    matrix = values.reshape(rows, columns)
    tops = starts(rows, down)
    endless = none = 0
    left = starts(columns, across)
    picture = np.empty((len(tops), len(left)), dtype=np.float32)
    broken = np.zeros(picture.shape, dtype=bool)
    bottoms = [*tops[1:], rows]
    step = max(1, PIECE // max(columns, 1))
    for pixel, (top, bottom) in enumerate(zip(tops, bottoms, strict=True)):
        high = low = np.zeros(picture.shape[1], dtype=np.float32)
        for first in range(top, bottom, step):
            piece = matrix[first : min(first + step, bottom)].astype(np.float32)
            endless += int(np.count_nonzero(np.isinf(piece)))
            none += int(np.count_nonzero(np.isnan(piece)))
            broken[pixel] |= np.logical_or.reduceat(np.isnan(piece).any(axis=0), left)
            piece[~np.isfinite(piece)] = 0
            high = np.maximum(high, np.maximum.reduceat(piece.max(axis=0), left))
            low = np.minimum(low, np.minimum.reduceat(piece.min(axis=0), left))
        picture[pixel] = np.where(-low > high, low, high)
    reach = np.abs(picture).max(initial=0)
    picture[broken] = np.nan
    extent = np.array([reach, endless, none], dtype=np.float32)
    return np.concatenate([extent, picture.ravel()])


def starts(length: int, most: int | None) -> list[int]:
    """The first place under each pixel."""
    pixels = length if most is None else min(length, most)
    return [pixel * length // pixels for pixel in range(pixels)]
