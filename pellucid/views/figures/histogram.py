"""A histogram: how many numbers of each size; several distributions one above the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from pellucid.views.figures.captions import at, caption
from pellucid.views.figures.colours import mixed
from pellucid.views.figures.measure import Extent
from pellucid.views.figures.style import points
from pellucid.views.figures.text import label, safe
from pellucid.views.figures.theme import Theme
from pellucid.views.histogram import Distribution, Histogram

_HEIGHT, _RIDGE = 14.0, 2.6
"""Of the only distribution, and of one of several, in sizes of the text."""
_LONGEST = 14.0
"""The longest name, in sizes of the text."""
_RIDGES = (
    "Each row has a scale of its own. At its right: how many numbers its fullest bin holds, of all."
)
_FILLED = 0.55
"""How much colour the area under a line has."""


def histogram_extent(histogram: Histogram, room: float) -> Extent:
    """A plot for one distribution, a ridge for each of several."""
    count = len(histogram.distributions)
    height = _HEIGHT if count == 1 else _RIDGE * count
    across = min(36 * points(), room)
    return Extent(across, height * points(), min(10 * points(), across))


def draw_histogram(histogram: Histogram, axes: Axes, theme: Theme) -> None:
    """Draw a step for each bin, as high as its count.

    One distribution has an axis of counts. Several stand above one another, each to a scale of its
    own, as families of parameters differ in number by orders of magnitude.
    """
    shown = histogram.distributions
    small = points("small")
    axes.tick_params(labelsize=small, labelcolor=theme.quiet, length=2, color=theme.grid)
    if len(shown) == 1:
        _draw_one(histogram, shown[0], axes, theme)
    else:
        _draw_ridges(histogram, axes, theme)
    axes.set_xlim(float(histogram.edges[0]), float(histogram.edges[-1]))
    axes.set_xlabel(safe(histogram.x_label), fontsize=small)
    words = _RIDGES if len(shown) > 1 else None
    note = " ".join(filter(None, [words, histogram.lost, histogram.note]))
    caption(axes, theme, histogram.title, note=note or None)


def _draw_one(histogram: Histogram, each: Distribution, axes: Axes, theme: Theme) -> None:
    """The counts over an axis of their own."""
    _steps(each.counts, histogram, 0.0, axes, theme)
    axes.set_ylim(0, 1.05 * max(float(each.counts.max(initial=0)), 1.0))
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylabel(f"how many of {each.total:,}", fontsize=points("small"))
    axes.spines[["top", "right"]].set_visible(False)


def _draw_ridges(histogram: Histogram, axes: Axes, theme: Theme) -> None:
    """Each distribution on a line of its own, its highest bin just below the next line."""
    shown = histogram.distributions
    for place, each in enumerate(shown):
        base = float(len(shown) - 1 - place)
        heights = 0.85 * each.counts / max(int(each.counts.max(initial=0)), 1)
        _steps(heights, histogram, base, axes, theme)
        axes.axhline(base, color=theme.grid, linewidth=points() / 14, zorder=1)
        words = f"max {int(each.counts.max(initial=0)):,} of {each.total:,}"
        at(
            axes, words, (1, (base + 0.3) / len(shown)), (0.6 * points(), 0),
            size=points("small"), va="center", color=theme.quiet,
        )  # fmt: skip
    size = 0.9 * points()
    names = [label(each.name, _LONGEST * points(), size) for each in shown]
    places = [len(shown) - 1 - place + 0.3 for place in range(len(shown))]
    axes.tick_params("y", labelsize=size, labelcolor=theme.ink, length=0)
    axes.set_yticks(places, names)
    axes.set_ylim(0, len(shown))
    axes.spines[["left", "top", "right"]].set_visible(False)


def _steps(
    heights: NDArray[Any], histogram: Histogram, base: float, axes: Axes, theme: Theme
) -> None:
    """An outlined step for each bin; a line beneath those that hold anything, however little."""
    axes.stairs(
        base + heights, histogram.edges, baseline=base, fill=True,
        facecolor=mixed(theme.paper, theme.positive, _FILLED), edgecolor="none", zorder=2,
    )  # fmt: skip
    filled = np.flatnonzero(heights)
    axes.hlines(
        np.full(len(filled), base), histogram.edges[filled], histogram.edges[filled + 1],
        color=theme.positive, linewidth=points() / 5, zorder=3,
    )  # fmt: skip
