"""Bars on a terminal: a label, its number, and a length that can be compared at a glance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len
from rich.text import Text

from pellucid.views.labels import label
from pellucid.views.numbers import NumberFormat, at_points, percent
from pellucid.views.scene import Bars
from pellucid.views.selection import Selection
from pellucid.views.terminal import theme
from pellucid.views.terminal.labels import fit
from pellucid.views.terminal.page import Lines, Page
from pellucid.views.terminal.prose import INDENT, caption, remark

_LONGEST_LABEL = 56
_LONGEST_BAR = 40
_SHORTEST_BAR = 8
"""What labels leave for the bars, where the page has room for both."""
_NARROWEST_BAR = 3
"""A sliver at either side of an axis."""
_LEAST_BAR = 3
"""A sliver to either side of an axis."""
_RIGHTWARD = " ▏▎▍▌▋▊▉"
_LEFTWARD = " ▕▕▐▐▐▐█"
"""The nearest there is in Unicode to so many eighths at the right of a column."""


def draw_bars(bars: Bars, page: Page) -> Lines:
    """Draw one line an item. Where there are negative numbers, their bars hang left of an axis."""
    rows = Selection.of(len(bars.items), len(bars.items) if bars.whole else page.lines)
    items = [bars.items[index] for index in rows.indices]
    numbers = np.array([number for _, number in items], dtype=np.float64)
    form = NumberFormat.fitting(numbers, unicode=page.unicode)
    unit = f" {bars.unit}" if bars.unit and bars.unit != "%" else bars.unit
    texts = at_points([form.text(number) + unit for number in numbers.tolist()])
    if bars.shares:
        shares = at_points([percent(bars.shares[index]) for index in rows.indices])
        texts = [f"{text}  {share}" for text, share in zip(texts, shares, strict=True)]
    names = [label(name) for name, _ in items]
    room = page.width - INDENT - max(map(len, texts), default=0) - 4
    longest = max(
        min(_LONGEST_LABEL, room - _SHORTEST_BAR), min(page.width // 3, room - _LEAST_BAR), 0
    )
    side = min(max(map(cell_len, names), default=0), longest, max(room - _NARROWEST_BAR, 1))
    lines = list(caption(bars.title, page))
    spare = room - side
    drawn = _lengths(numbers, bars.limit, max(min(spare, _LONGEST_BAR), 1), page)
    for index, (name, text, bar) in enumerate(zip(names, texts, drawn, strict=True)):
        if not rows.whole and index == rows.first:
            lines.append(Text(" " * INDENT).append("⋮", theme.QUIET))
        lines.append(Text(" " * INDENT + fit(name, side) + "  " + text + "  ").append_text(bar))
    if not rows.whole:
        lines.extend(remark(f"Shown: {rows.words('bars')}.", page))
    if bars.note:
        lines.extend(remark(bars.note, page))
    return tuple(lines)


def _lengths(numbers: NDArray[Any], limit: float | None, room: int, page: Page) -> list[Text]:
    """The bars themselves, all to one scale."""
    finite = numbers[np.isfinite(numbers)]
    shares = numbers / (limit or float(np.abs(finite).max(initial=0.0)) or 1.0)
    if not np.any(finite < 0):
        return [Text().append(_bar(share, room, page), theme.POSITIVE) for share in shares]
    half = max((room - 1) // 2, 1)
    lines = []
    for share in shares:
        left = _bar(-share, half, page, leftward=True).rjust(half)
        line = Text().append(left, theme.NEGATIVE).append("│", theme.RULE)
        lines.append(line.append(_bar(share, half, page), theme.POSITIVE))
    return lines


def _bar(share: float, room: int, page: Page, *, leftward: bool = False) -> str:
    """A bar of `share` of the room, to an eighth of a column; a sliver for the smallest share."""
    if not math.isfinite(share) or share <= 0:
        return ""
    eighths = max(round(min(share, 1.0) * room * 8), 1)
    if not page.unicode:
        return "#" * max(round(eighths / 8), 1)
    whole = "█" * (eighths // 8)
    if leftward:
        return (_LEFTWARD[eighths % 8] + whole).strip()
    return (whole + _RIGHTWARD[eighths % 8]).strip()
