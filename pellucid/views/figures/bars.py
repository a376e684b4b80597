"""Bars: a label, a length and its number for each item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from pellucid.views.figures.captions import caption
from pellucid.views.figures.measure import Extent
from pellucid.views.figures.style import points
from pellucid.views.figures.text import label, safe, width
from pellucid.views.figures.theme import Theme
from pellucid.views.numbers import NumberFormat, percent
from pellucid.views.scene import Bars
from pellucid.views.selection import Selection

ROW, MOST = 1.6, 40
"""The height of a bar with its space, in sizes of the text; of more bars the edges are shown."""
LONGEST_LABEL, LONGEST_BAR, LEAST_BAR, BETWEEN = 24.0, 20.0, 8.0, 0.9
"""In sizes of the text; the last is from the bars to the numbers, and to the shares."""


@dataclass(frozen=True)
class _Item:
    """One bar with its words; a gap has none, and no length."""

    name: str
    number: float
    words: str = ""
    share: str = ""


def draw_bars(bars: Bars, axes: Axes, theme: Theme) -> None:
    """Draw one bar an item, negative ones to the left of an axis, each with its number beside it.

    The numbers stand at the right of all bars, so that they can be read down a column.
    """
    items, note = _items(bars)
    numbers = np.array([item.number for item in items], dtype=np.float64)
    drawn = np.where(np.isfinite(numbers), numbers, 0.0)
    places = np.arange(len(items))
    colours = [theme.negative if number < 0 else theme.positive for number in drawn]
    axes.barh(places, drawn, color=colours, height=0.68)
    low, high = float(drawn.min(initial=0.0)), float(drawn.max(initial=0.0))
    if bars.limit:
        low, high = -bars.limit * (low < 0), bars.limit
    axes.set_xlim(low, high if high > low else 1.0)
    axes.set_ylim(max(len(items), 1) - 0.5, -0.5)
    axes.axvline(0, color=theme.quiet, linewidth=points() / 12)
    axes.set_yticks(places, [item.name for item in items], fontsize=0.9 * points())
    axes.tick_params(axis="y", length=0, labelcolor=theme.ink, pad=0.5 * points())
    axes.set_xticks([])
    axes.spines[:].set_visible(False)
    _draw_words(items, axes, theme)
    words = " ".join(part for part in (note, bars.note) if part)
    caption(axes, theme, bars.title, note=words or None)


def bars_extent(bars: Bars, room: float) -> Extent:
    """A row for each bar, as long as labels and numbers leave room for."""
    size = points()
    items, _ = _items(bars)
    names = max((width(item.name, 0.9 * size) for item in items), default=0.0)
    words = sum(across + BETWEEN * size for across in _columns(items))
    across = min(LONGEST_BAR * size, room - names - words - size)
    return Extent(max(across, LEAST_BAR * size), max(len(items), 1) * ROW * size, LEAST_BAR * size)


def _draw_words(items: list[_Item], axes: Axes, theme: Theme) -> None:
    """The numbers at the right in a column, and what part of the whole each is in another."""
    numbers, shares = _columns(items)
    first = BETWEEN * points() + numbers
    second = first + BETWEEN * points() + shares
    for place, item in enumerate(items):
        for words, end, ink in (
            (item.words, first, theme.ink),
            (item.share, second, theme.quiet),
        ):
            if words:
                axes.annotate(
                    words,
                    (1, place),
                    xycoords=("axes fraction", "data"),
                    xytext=(end, 0),
                    textcoords="offset points",
                    ha="right",
                    va="center_baseline",
                    fontsize=points("small"),
                    color=ink,
                )


def _columns(items: list[_Item]) -> tuple[float, float]:
    """The widths of the numbers and of the shares."""
    size = points("small")
    numbers = max((width(item.words, size) for item in items), default=0.0)
    return numbers, max((width(item.share, size) for item in items), default=0.0)


def _items(bars: Bars) -> tuple[list[_Item], str | None]:
    """What is drawn: every bar, or the first and the last of many, with words that say so."""
    rows = Selection.of(len(bars.items), len(bars.items) if bars.whole else MOST)
    chosen = [bars.items[index] for index in rows.indices]
    form = NumberFormat.fitting(np.array([number for _, number in chosen], dtype=np.float64))
    unit = safe(f" {bars.unit}" if bars.unit and bars.unit != "%" else bars.unit)
    items = [
        _Item(
            label(name, LONGEST_LABEL * points(), 0.9 * points()),
            number,
            form.text(number) + unit,
            percent(bars.shares[index]) if bars.shares else "",
        )
        for index, (name, number) in zip(rows.indices, chosen, strict=True)
    ]
    if rows.whole:
        return items, None
    items.insert(rows.first, _Item("⋮", 0.0))
    return items, f"Shown: {rows.words('bars')}."
