"""Plane: the two directions in which rows of numbers differ most, to look at them from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from pellucid.ops.operation import Array


@dataclass(frozen=True, eq=False)
class Plane:
    """`directions` [2, column] of length 1, at right angles, from `mean` [column].

    `shares` says how much of the rows' variance lies along each. Source: Pearson, "On Lines and
    Planes of Closest Fit to Systems of Points in Space" (1901): principal components.
    """

    mean: Array
    directions: Array
    shares: tuple[float, float]

    @classmethod
    def of(cls, rows: Array) -> Self:
        """The plane of rows [row, column]; one that has no second direction gets zeros for it.

        A direction may point either way: here to where its largest number is positive.
        """
        numbers = rows.astype(np.float64)
        mean = numbers.mean(axis=0)
        # As many columns as directions at the least, and no more work for many rows.
        columns = (numbers - mean).T @ (numbers - mean)
        variances, found = np.linalg.eigh(columns)
        first = found.T[::-1][:2]
        signs = np.sign(np.take_along_axis(first, np.abs(first).argmax(axis=1)[:, None], axis=1))
        directions = np.zeros((2, len(mean)))
        directions[: len(first)] = first * signs
        total = max(float(variances.clip(0).sum()), np.finfo(float).tiny)
        shares = [*(variances[::-1][:2].clip(0) / total).tolist(), 0.0]
        return cls(mean, directions, (shares[0], shares[1]))

    def seen(self, rows: Array) -> Array:
        """Where rows […, column] lie on it: […, 2]."""
        places: Array = (rows.astype(np.float64) - self.mean) @ self.directions.T
        return places
