"""Points on a plane: a dot for each with its name, and the line that it has come along."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import FuncFormatter

from pellucid.views.figures.captions import caption
from pellucid.views.figures.curve import short_number
from pellucid.views.figures.measure import Extent, room_of
from pellucid.views.figures.style import points as size_of
from pellucid.views.figures.text import LINE, label, safe, shortened, width
from pellucid.views.figures.theme import Theme
from pellucid.views.points import Points

_HEIGHT, _WIDEST, _LEAST = 26.0, 40.0, 16.0
"""Of the plane, in sizes of the text."""
_DOT, _BESIDE = 0.42, 0.3
"""A dot's diameter, and from it to its name, in sizes of the text."""
_LONGEST = 9.0
"""The longest name, in sizes of the text."""

Box = tuple[float, float, float, float]
"""Left, bottom, right and top in points from the corner of the axes."""


def points_extent(points: Points, room: float) -> Extent:
    """As wide as there is room for, within reason."""
    size = size_of()
    return Extent(min(room, _WIDEST * size), _HEIGHT * size, _LEAST * size)


def draw_points(points: Points, axes: Axes, theme: Theme) -> None:
    """Draw each way as a thin line and its end as a dot, with its name where there is room for it.

    Names never lie over one another: where points are too close, some have none, and the note says
    how many.
    """
    left, right, bottom, top = points.sides
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    size = size_of()
    moved = np.ma.masked_invalid(points.ways)
    if points.ways.shape[1] > 1:
        lines = LineCollection(list(moved), colors=theme.grid, linewidths=size / 12, zorder=2)
        axes.add_collection(lines)
    axes.plot(*points.ends.T, "o", color=theme.series[0], markersize=_DOT * size, markeredgewidth=0)
    small = size_of("small")
    across, down = room_of(axes)
    axes.set_xlabel(shortened(safe(points.x_label), across, small), fontsize=small)
    axes.set_ylabel(shortened(safe(points.y_label), down, small), fontsize=small)
    axes.tick_params(labelsize=small, labelcolor=theme.quiet, length=0.3 * size)
    axes.locator_params(nbins=6)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda number, _: short_number(f"{number:,.7g}")))
    axes.spines[["top", "right"]].set_visible(False)
    nameless = draw_names(points, axes, theme)
    words = f"{nameless:,} of {len(points.names):,} names have no room." if nameless else None
    caption(axes, theme, points.title, note=" ".join(filter(None, [words, points.note])) or None)


def draw_names(points: Points, axes: Axes, theme: Theme) -> int:
    """Write the names beside their dots; returns how many there was no room for."""
    size = size_of("small")
    across, down = room_of(axes)
    left, right, bottom, top = points.sides
    scale = np.array([across / (right - left), down / (top - bottom)])
    places = (points.ends - (left, bottom)) * scale
    shown = np.isfinite(places).all(axis=1)
    dot = _DOT * size_of() / 2
    taken: list[Box] = [(x - dot, y - dot, x + dot, y + dot) for x, y in places[shown].tolist()]
    written = 0
    for name, (x, y) in zip(np.array(points.names, object)[shown], places[shown], strict=True):
        text = label(name, _LONGEST * size_of(), size)
        wide, high = width(text, size), LINE * size
        for box in around(float(x), float(y), wide, high):
            if inside(box, across, down) and not any(meets(box, other) for other in taken):
                taken.append(box)
                written += 1
                axes.annotate(
                    text, (box[0] / across, (box[1] + box[3]) / 2 / down),
                    xycoords="axes fraction", va="center_baseline", fontsize=size,
                    color=theme.ink, zorder=4,
                )  # fmt: skip
                break
    return len(points.names) - written


def around(x: float, y: float, wide: float, high: float) -> Iterator[Box]:
    """Boxes of that size around a dot: at its sides first, then at its corners."""
    gap = (_DOT / 2 + _BESIDE) * size_of()
    sides = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
    for to_right, up in sides:
        lean = gap if not (to_right and up) else 0.6 * gap
        middle = x + to_right * (lean + wide / 2)
        height = y + up * (lean + high / 2 - 0.2 * high)
        yield (middle - wide / 2, height - high / 2, middle + wide / 2, height + high / 2)


def inside(box: Box, across: float, down: float) -> bool:
    """Whether a box lies within axes of that size."""
    return box[0] >= 0 and box[1] >= 0 and box[2] <= across and box[3] <= down


def meets(box: Box, other: Sequence[float]) -> bool:
    """Whether two boxes have a part in common."""
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
