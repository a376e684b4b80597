"""From numbers to colours, and the bar that says which is which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, ListedColormap, Normalize, to_hex
from numpy.typing import NDArray

from pellucid.views.figures.measure import figure_of, room_of
from pellucid.views.figures.style import points
from pellucid.views.figures.theme import Theme
from pellucid.views.matrix import MatrixKind
from pellucid.views.numbers import NumberFormat

THICKNESS, LENGTH, GAP = 0.8, 9.0, 1.0
"""Of a bar, and from the picture to it, in sizes of the text."""
SHORT = 5.0
"""A bar of less than so many sizes of the text has room for the numbers at its ends alone."""


@dataclass(frozen=True)
class Scale:
    """Numbers from `low` to `high` as colours; ids and bare numbers have none (`coloured`)."""

    norm: Normalize
    colours: Colormap
    low: float
    high: float
    coloured: bool = True

    @classmethod
    def of(
        cls, kind: MatrixKind, values: NDArray[Any], theme: Theme, limit: float | None = None
    ) -> Scale:
        """The scale of numbers of this kind: from 0 to 1, or as far below zero as above it.

        `limit` is the end of the scale; without one it is the largest finite magnitude. Where no
        number is negative, only the positive half is there to be seen.
        """
        if kind in ("ids", "plain"):
            return cls(Normalize(0, 1), ListedColormap([theme.paper]), 0.0, 1.0, coloured=False)
        if kind == "probability":
            end = limit or 1.0
            return cls(Normalize(0, end), theme.sequential, 0.0, end)
        finite = values[np.isfinite(values)]
        end = limit or float(np.abs(finite).max(initial=0.0)) or 1.0
        low = -end if np.any(finite < 0) else 0.0
        return cls(Normalize(-end, end), theme.diverging, low, end)

    def colour(self, number: float) -> str:
        """The colour of one number as `#rrggbb`."""
        return to_hex(self.colours(self.norm(float(number))))


def draw_scale(scale: Scale, axes: Axes, theme: Theme, *, end: float | None = None) -> None:
    """Draw a bar of the colours at the right of a picture, with the numbers that they stand for.

    `end` is where the picture ends, in points from the left of the axes, unless it fills them.
    """
    if not scale.coloured:
        return
    across, down = room_of(axes)
    size = points()
    length = min(max(down, 2.5 * size), LENGTH * size)
    left = (across if end is None else end) + GAP * size
    place = [left / across, 1 - length / down, THICKNESS * size / across, length / down]
    bar = axes.inset_axes(place)  # type: ignore[arg-type]
    ticks = [scale.low, scale.high]
    if scale.low < 0 and length >= SHORT * size:
        ticks.insert(1, 0.0)
    form = NumberFormat.fitting(np.array([scale.high]))
    drawn = figure_of(axes).colorbar(ScalarMappable(scale.norm, scale.colours), cax=bar)
    drawn.set_ticks(ticks, labels=[form.text(tick) for tick in ticks])
    bar.set_ylim(scale.low, scale.high)
    bar.tick_params(labelsize=points("small"), length=0, pad=0.3 * size, labelcolor=theme.quiet)
    drawn.outline.set_visible(False)
