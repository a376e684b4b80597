"""The points block: things that lie on a plane, and the ways that they have come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.views.matrix import frozen

MARGIN = 0.06
"""Around the points, of what they span."""


@dataclass(frozen=True, eq=False)
class Points:
    """Named points on a plane, each at the end of its way.

    `ways` is [point, place, (x, y)]: the last place is where a point is now. `span` is what is
    shown, (left, right, bottom, top); all of the ways and some space around them unless given.
    Raises ValueError when there is not a name for each, or a way has no place.
    """

    title: str
    names: tuple[str, ...]
    ways: NDArray[Any]
    x_label: str
    y_label: str
    span: tuple[float, float, float, float] | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "ways", frozen(np.asarray(self.ways, dtype=np.float64)))
        if self.ways.ndim != 3 or self.ways.shape[2] != 2 or not self.ways.shape[1]:
            raise ValueError(f"ways are [point, place, 2], not {list(self.ways.shape)}")
        if len(self.names) != len(self.ways):
            raise ValueError(f"{len(self.names)} names for {len(self.ways)} points")
        if self.span is None:
            object.__setattr__(self, "span", span_of(self.ways))

    @property
    def sides(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top of what is shown."""
        assert self.span is not None
        return self.span

    @property
    def ends(self) -> NDArray[Any]:
        """Where the points are now, [point, (x, y)]."""
        ends: NDArray[Any] = self.ways[:, -1]
        return ends


def span_of(ways: NDArray[Any]) -> tuple[float, float, float, float]:
    """What all ways [point, place, (x, y)] span, with some space around them."""
    places = ways.reshape(-1, 2)
    places = places[np.isfinite(places).all(axis=1)]
    if not len(places):
        return (-1.0, 1.0, -1.0, 1.0)
    low, high = places.min(axis=0), places.max(axis=0)
    extra = np.where(high > low, MARGIN * (high - low), 1.0)
    (left, bottom), (right, top) = (low - extra).tolist(), (high + extra).tolist()
    return (left, right, bottom, top)
