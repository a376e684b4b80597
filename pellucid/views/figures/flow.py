"""A flow: who gives at the left, who takes at the right, joined by lines as wide as the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from pellucid.views.figures.captions import caption
from pellucid.views.figures.colours import mixed
from pellucid.views.figures.legend import draw_legend
from pellucid.views.figures.measure import Extent, room_of
from pellucid.views.figures.style import points
from pellucid.views.figures.text import LINE, label, safe, width
from pellucid.views.figures.theme import Theme
from pellucid.views.figures.words import blank
from pellucid.views.flow import Flow, labels_of
from pellucid.views.numbers import percent

MOST_TOKENS = 24
"""A longer flow is shortened to its last so many: more lines could not be followed."""
STRONG = 0.2
"""From this share of the scale a line has its number beside it."""
_HEIGHT, _PITCHES = 30, (2.5, 3.6)
"""The rows share a height, in sizes of the text, but stand at least and at most so far apart."""
_WIDEST = 0.9
"""The widest line, in sizes of the text."""
_PALEST = 0.35
"""How much colour the weakest line has."""
_POINTS_A_LINE = 41
_PLACES = (28, 30, 26, 32, 24, 34, 22, 20, 18, 16, 14, 12, 10, 8, 36, 6)
"""At which of a line's points its number may stand, the best first."""
_LABEL = 0.28
"""The most of the width that labels at one side may take."""
_SAMPLES = (0.25, 0.5, 1.0)


@dataclass(frozen=True)
class _Sheet:
    """Where things stand, in points from the top left: two columns, and the rows of either."""

    left: float
    right: float
    givers: NDArray[Any]
    takers: NDArray[Any]

    def line(self, source: int, target: int) -> NDArray[Any]:
        """The points of a line `[point, 2]`, level at either end."""
        share = np.linspace(0, 1, _POINTS_A_LINE)
        start, end = self.givers[source], self.takers[target]
        down = start + (end - start) * share * share * (3 - 2 * share)
        return np.stack([self.left + (self.right - self.left) * share, down], axis=1)


def flow_extent(flow: Flow, room: float) -> Extent:
    """Rows far enough apart that lines between them can be followed."""
    rows = min(max(flow.weights.shape), MOST_TOKENS)
    least, most = _PITCHES
    pitch = min(max(_HEIGHT / rows, least), most)
    across = min(42 * points(), room)
    return Extent(across, (pitch * rows + LINE) * points(), min(24 * points(), across))


def draw_flow(flow: Flow, axes: Axes, theme: Theme) -> None:
    """Draw a line for each weight that is not 0, and its number beside a strong one."""
    lost, flow = flow.lost, flow.shortened(MOST_TOKENS)
    blank(axes)
    sheet = _labelled(flow, axes, theme)
    limit = flow.limit
    weights = np.where(np.isfinite(flow.weights), flow.weights, 0.0)
    order = sorted(np.argwhere(weights), key=lambda place: abs(weights[tuple(place)]))
    widest = min(_WIDEST * points(), 0.7 * _pitch(sheet))
    sizes = np.array([weights[target, source] / limit for target, source in order])
    lines = [sheet.line(source, target) for target, source in order]
    axes.add_collection(
        LineCollection(
            lines,
            linewidths=np.abs(sizes) * widest,
            colors=[_colour(size, theme) for size in sizes],
            capstyle="butt",
        ),
        autolim=False,
    )
    _write_numbers(flow, order[::-1], lines[::-1], axes, theme)
    _legend(limit, widest, axes, theme)
    note = " ".join(filter(None, [lost, flow.note]))
    caption(axes, theme, flow.title, name=flow.name, note=note or None)


def _labelled(flow: Flow, axes: Axes, theme: Theme) -> _Sheet:
    """Write both columns of labels with what they are above them."""
    n_targets, n_sources = flow.weights.shape
    across, down = room_of(axes)
    size = points()
    room, top = _LABEL * across, LINE * size * 1.2
    givers = [label(name, room, size) for name in labels_of(flow.sources, n_sources)]
    takers = [label(name, room, size) for name in labels_of(flow.targets, n_targets)]
    heads = [safe(f"gives ({flow.sources.dim})"), safe(f"takes ({flow.targets.dim})")]
    left, right = (
        max(width(text, size) for text in (head, *names)) + 0.6 * size
        for head, names in zip(heads, (givers, takers), strict=True)
    )
    sheet = _Sheet(left, across - right, *(_rows(n, top, down) for n in (n_sources, n_targets)))
    sides = (
        (left - 0.6 * size, "right", heads[0], givers, sheet.givers),
        (across - right + 0.6 * size, "left", heads[1], takers, sheet.takers),
    )
    for x, align, head, names, rows in sides:
        axes.text(x, 0, head, ha=align, va="top", color=theme.quiet, fontsize=points("small"))
        for name, y in zip(names, rows, strict=True):
            axes.text(x, y, name, ha=align, va="center_baseline", color=theme.ink)
    return sheet


def _rows(count: int, top: float, bottom: float) -> NDArray[Any]:
    """Rows spread over a height, half a step from its ends."""
    step = (bottom - top) / max(count, 1)
    return top + step * (np.arange(count) + 0.5)


def _pitch(sheet: _Sheet) -> float:
    """The least distance of two rows."""
    rows = max(sheet.givers, sheet.takers, key=len)
    return float(rows[1] - rows[0]) if len(rows) > 1 else np.inf


def _colour(size: float, theme: Theme) -> str:
    """The stronger, the farther from paper; a negative weight in the colour of negatives."""
    full = theme.probability if size > 0 else theme.negative
    return mixed(theme.paper, full, _PALEST + (1 - _PALEST) * abs(size))


def _write_numbers(
    flow: Flow,
    order: list[NDArray[np.intp]],
    lines: list[NDArray[Any]],
    axes: Axes,
    theme: Theme,
) -> None:
    """Write the strong weights on their lines, the strongest first, where there is room."""
    size, limit = points("small"), flow.limit
    weights = [float(flow.weights[target, source]) for target, source in order]
    strong = [line for line, weight in zip(lines, weights, strict=True) if _strong(weight, limit)]
    all_strong = np.array(strong)
    taken: list[_Box] = []
    for weight, line in zip(weights, strong, strict=False):
        text = percent(weight) if weight > 0 else f"−{percent(-weight)}"
        half = width(text, size) / 2 + 0.2 * size, LINE * size / 2
        boxes = [_Box.around(float(line[i, 0]), float(line[i, 1]), *half) for i in _PLACES]
        free = [box for box in boxes if not any(box.meets(other) for other in taken)]
        if not free:
            continue
        # Least doubt where the fewest other strong lines pass beneath.
        best = min(free, key=lambda box: box.holds(all_strong))
        taken.append(best)
        axes.text(
            *best.middle, text, ha="center", va="center_baseline", fontsize=size, color=theme.ink,
            bbox={"facecolor": theme.paper, "edgecolor": "none", "pad": 0.1 * size},
        )  # fmt: skip


def _strong(weight: float, limit: float) -> bool:
    return abs(weight) >= STRONG * limit


@dataclass(frozen=True)
class _Box:
    """A rectangle on the sheet."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, x: float, y: float, across: float, down: float) -> _Box:
        return cls(x - across, y - down, x + across, y + down)

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def meets(self, other: _Box) -> bool:
        """Whether the two share a place."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def holds(self, lines: NDArray[Any]) -> int:
        """How many of the lines `[line, point, 2]` pass through."""
        x, y = lines[..., 0], lines[..., 1]
        inside = (self.left < x) & (x < self.right) & (self.top < y) & (y < self.bottom)
        return int(inside.any(axis=1).sum())


def _legend(limit: float, widest: float, axes: Axes, theme: Theme) -> None:
    """What the widths mean, below."""
    draw_legend(
        [
            (
                Line2D(
                    [],
                    [],
                    linewidth=share * widest,
                    color=_colour(share, theme),
                    solid_capstyle="butt",
                ),
                percent(share * limit),
            )
            for share in _SAMPLES
        ],
        axes,
        theme,
    )
