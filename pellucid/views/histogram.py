"""The histogram block: how often numbers of each size occur."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from sys import float_info
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.views.matrix import frozen

BINS = 40
_CLOSE, _TINY = 1e-9, 1e-300
"""Numbers that differ by no more than this share of themselves, or than this, count as one."""


@dataclass(frozen=True, eq=False)
class Distribution:
    """How many of some numbers fall into each bin, `counts [bin]`, and how many are not finite."""

    name: str
    counts: NDArray[Any]
    not_finite: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", frozen(self.counts))

    @property
    def total(self) -> int:
        """How many numbers there are, those included that are not finite."""
        return int(self.counts.sum()) + self.not_finite


@dataclass(frozen=True, eq=False)
class Histogram:
    """Distributions over common bins; bin `i` goes from `edges[i]` to `edges[i + 1]`.

    Raises ValueError when a distribution has not one count for each bin.
    """

    title: str
    edges: NDArray[Any]
    distributions: tuple[Distribution, ...]
    x_label: str = "value"
    note: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", frozen(self.edges))
        object.__setattr__(self, "distributions", tuple(self.distributions))
        for each in self.distributions:
            if len(each.counts) != len(self.edges) - 1:
                raise ValueError(
                    f"{len(each.counts)} counts of {each.name} for {len(self.edges) - 1} bins"
                )

    @property
    def lost(self) -> str:
        """Words about numbers that are NaN or infinite, and so in no bin; "" where none is."""
        count = sum(each.not_finite for each in self.distributions)
        total = sum(each.total for each in self.distributions)
        return f"Not drawn: {count:,} of {total:,} numbers, not finite." if count else ""

    @classmethod
    def of(
        cls,
        title: str,
        numbers: Mapping[str, ArrayLike],
        *,
        x_label: str = "value",
        bins: int = BINS,
        note: str | None = None,
    ) -> Histogram:
        """Count numbers in `bins` bins of one width, from the smallest finite one to the largest.

        The last bin holds its upper edge too. Where all numbers are one, or nearly, the bins go
        from half a unit below to half a unit above, or farther where half a unit is nothing.
        """
        arrays = {name: np.asarray(each).reshape(-1) for name, each in numbers.items()}
        edges = _edges([_finite(array) for array in arrays.values()], bins)
        return cls(
            title,
            edges,
            tuple(
                Distribution(
                    name,
                    np.histogram(_finite(array), edges)[0],
                    int(array.size - np.isfinite(array).sum()),
                )
                for name, array in arrays.items()
            ),
            x_label=x_label,
            note=note,
        )


def _finite(array: NDArray[Any]) -> NDArray[Any]:
    finite = np.isfinite(array)
    return array if finite.all() else array[finite]


def _edges(arrays: list[NDArray[Any]], bins: int) -> NDArray[np.float64]:
    """The bounds of the bins, `[bin + 1]`, without the overflow of a difference of extremes."""
    filled = [array for array in arrays if array.size]
    low = min((float(array.min()) for array in filled), default=0.0)
    high = max((float(array.max()) for array in filled), default=1.0)
    if high / 2 - low / 2 <= max(_CLOSE * max(abs(low), abs(high)), _TINY):
        extra = max(2 * _CLOSE * abs(low), 0.5)
        low, high = max(low - extra, -float_info.max), min(high + extra, float_info.max)
    shares = np.linspace(0, 1, bins + 1)
    return low * (1 - shares) + high * shares
