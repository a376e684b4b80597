"""A curve: lines over an axis, and levels to read them against."""

from __future__ import annotations

import re
from math import log

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from pellucid.views.figures.captions import caption
from pellucid.views.figures.measure import Extent, room_of
from pellucid.views.figures.style import points
from pellucid.views.figures.text import LINE, label, safe, shortened
from pellucid.views.figures.theme import Theme
from pellucid.views.scene import Curve, Series

HEIGHT, LEAST, WIDEST = 20.0, 12.0, 48.0
"""Of a curve without its labels, in sizes of the text."""
LONGEST_NAME = 12.0
MARKED = 24
"""A line through so few points, or fewer, has a mark at each."""


def draw_curve(curve: Curve, axes: Axes, theme: Theme) -> None:
    """Draw each series in its colour, and each level as a dashed line; names stand at the right.

    Values that are not finite leave a gap, and the note says how many there are.
    """
    for place, series in enumerate(curve.series):
        colour = theme.series[place % len(theme.series)]
        marker = "o" if np.isfinite(series.y).sum() <= MARKED else None
        axes.plot(
            np.asarray(series.x),
            series.y,
            color=colour,
            label=safe(series.name),
            marker=marker,
            markersize=0.35 * points(),
        )
    for level in curve.levels:
        axes.axhline(level.y, color=theme.quiet, linestyle=(0, (4, 3)), linewidth=points() / 12)
    if curve.logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.minorticks_off()
    size, (across, down) = points("small"), room_of(axes)
    axes.set_xlabel(shortened(safe(curve.x_label), across, size), fontsize=size)
    axes.set_ylabel(shortened(safe(curve.y_label), down, size), fontsize=size)
    axes.tick_params(labelsize=points("small"), labelcolor=theme.quiet, length=0.3 * points())
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color=theme.grid, linewidth=points() / 18)
    axes.set_axisbelow(True)
    axes.margins(x=0.01, y=0.06)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda number, _: short_number(f"{number:,.7g}")))
    if all(_last(series) is None for series in curve.series):
        axes.set_xticks([])
        axes.set_yticks([])
    _draw_names(curve, axes, theme)
    note = " ".join(words for words in (_missing(curve), curve.note) if words)
    caption(axes, theme, curve.title, note=note or None)


def curve_extent(curve: Curve, room: float) -> Extent:
    """As wide as there is room for, within reason."""
    size = points()
    return Extent(min(room, WIDEST * size), HEIGHT * size, LEAST * size)


def _draw_names(curve: Curve, axes: Axes, theme: Theme) -> None:
    """At the right end of each line its name and last value, moved apart where they would meet."""
    size = points("small")
    ends: list[tuple[float, str, str]] = []
    for level in curve.levels:
        ends.append((level.y, f"{_named(level.name)} {_number(level.y)}", theme.quiet))
    for place, series in enumerate(curve.series):
        if (last := _last(series)) is not None:
            colour = theme.series[place % len(theme.series)]
            ends.append((last, f"{_named(series.name)} {_number(last)}".strip(), colour))
    low, high = axes.get_ylim()
    if curve.logarithmic:
        heights = [log(y / low) / log(high / low) for y, _, _ in ends]
    else:
        heights = [(y - low) / (high - low) for y, _, _ in ends]
    step = LINE * size / room_of(axes)[1]
    for (_, text, colour), height in zip(ends, apart(heights, step), strict=True):
        axes.annotate(
            text,
            (1, height),
            xycoords="axes fraction",
            xytext=(0.5 * points(), 0),
            textcoords="offset points",
            va="center",
            fontsize=size,
            color=colour,
        )


def apart(heights: list[float], step: float) -> list[float]:
    """The heights, in their order, moved as little as it takes to be `step` apart, from 0 up."""
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    groups: list[list[int]] = []
    for place in order:
        groups.append([place])
        while len(groups) > 1 and _bottom(groups[-1], heights, step) < (
            _bottom(groups[-2], heights, step) + len(groups[-2]) * step
        ):
            groups[-2:] = [[*groups[-2], *groups[-1]]]
    moved = list(heights)
    for group in groups:
        for index, place in enumerate(group):
            moved[place] = _bottom(group, heights, step) + index * step
    return moved


def _bottom(group: list[int], heights: list[float], step: float) -> float:
    """Where the lowest of a group stands that is centred on what it names."""
    middle = sum(heights[place] for place in group) / len(group)
    return middle - (len(group) - 1) * step / 2


def _last(series: Series) -> float | None:
    finite = series.y[np.isfinite(series.y)]
    return float(finite[-1]) if len(finite) else None


def _named(name: str) -> str:
    return label(name.strip(), LONGEST_NAME * points(), points("small"))


def _number(y: float) -> str:
    return f"{y:.3f}" if 1e-2 <= abs(y) < 1e4 or y == 0 else short_number(f"{y:,.4g}")


def short_number(number: str) -> str:
    """`1e6` for `1e+06`."""
    return re.sub(r"e\+?(-?)0*", r"e\1", number)


def _missing(curve: Curve) -> str:
    count = sum(int((~np.isfinite(series.y)).sum()) for series in curve.series)
    if not count:
        return ""
    if all(_last(series) is None for series in curve.series):
        return "Nothing to draw: no value is finite."
    return f"{count:,} {'values are' if count > 1 else 'value is'} not finite: a gap."
