"""Points on a plane, on a terminal: a dot for each with its name, and dots of the way it came."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from pellucid.views.labels import clean, label
from pellucid.views.points import Points
from pellucid.views.terminal import theme
from pellucid.views.terminal.axes import (
    DOTS_ACROSS,
    DOTS_DOWN,
    Frame,
    round_numbers,
    tick_texts,
)
from pellucid.views.terminal.braille import Canvas
from pellucid.views.terminal.foot import draw_foot
from pellucid.views.terminal.labels import fit
from pellucid.views.terminal.page import Lines, Page
from pellucid.views.terminal.prose import INDENT, caption, remark

_HEIGHT = 18
_NARROWEST, _WIDEST = 8, 96
_LONGEST = 14
"""The longest name."""
_DOT = "•"


def draw_points(points: Points, page: Page) -> Lines:
    """Draw every way in dots, and over them the points with as many names as there is room for."""
    left, right, bottom, top = points.sides
    ticks = round_numbers(bottom, top, 5)
    texts = tick_texts(ticks)
    side = max(map(len, texts), default=0)
    width = max(min(page.width - INDENT - side - 2, _WIDEST), _NARROWEST)
    frame = Frame(width, _HEIGHT, left, right, bottom, top)
    by_row = {frame.row(tick) // DOTS_DOWN: text for tick, text in zip(ticks, texts, strict=True)}
    lines = list(caption(points.title, page))
    lines.append(Text(" " * (INDENT + side + 1)).append(clean(points.y_label), theme.QUIET))
    rows, nameless = plotted(points, frame, page)
    for row, drawn in enumerate(rows):
        line = Text(" " * INDENT).append(by_row.get(row, "").rjust(side) + " ", theme.QUIET)
        line.append("┤" if row in by_row else "│", theme.RULE).append_text(drawn)
        lines.append(line)
    below = round_numbers(left, right, max(frame.width // 12, 1))
    lines.extend(draw_foot(frame, below, tick_texts(below), points.x_label, side, page))
    words = f"{nameless:,} of {len(points.names):,} names have no room." if nameless else None
    if note := " ".join(filter(None, [words, points.note])):
        lines.extend(remark(note, page))
    for line in lines:
        line.truncate(page.width)
    return tuple(lines)


def plotted(points: Points, frame: Frame, page: Page) -> tuple[list[Text], int]:
    """The rows of the plane, and how many points have no name on them."""
    canvas = Canvas(frame.width, frame.height)
    if points.ways.shape[1] > 1:
        for way in points.ways:
            places = [(frame.column(x), frame.row(y)) for x, y in way if np.isfinite([x, y]).all()]
            for start, end in pairwise(places):
                canvas.join(start, end)
    rows = [list(row) for row in canvas.rows(unicode=page.unicode)]
    styles = [[theme.RULE] * frame.width for _ in rows]
    shown = [
        (name, frame.row(y) // DOTS_DOWN, frame.column(x) // DOTS_ACROSS)
        for name, (x, y) in zip(points.names, points.ends.tolist(), strict=True)
        if np.isfinite([x, y]).all()
    ]
    taken = {(row, column) for _, row, column in shown}
    for _, row, column in shown:
        rows[row][column], styles[row][column] = _DOT, theme.POSITIVE
    written = sum(write(name, row, column, rows, styles, taken) for name, row, column in shown)
    drawn = [
        Text.assemble(*zip(letters, looks, strict=True))
        for letters, looks in zip(rows, styles, strict=True)
    ]
    return drawn, len(points.names) - written


def write(
    name: str,
    row: int,
    column: int,
    rows: list[list[str]],
    styles: list[list[Style]],
    taken: set[tuple[int, int]],
) -> bool:
    """Write a name at the right or the left of its dot, if there is room; says whether."""
    text = label(name)
    text = fit(text, min(cell_len(text), _LONGEST))
    wide = cell_len(text)
    if not wide:
        return True
    for start in (column + 1, column - wide):
        cells = {(row, place) for place in range(start, start + wide)}
        if start < 0 or start + wide > len(rows[row]) or cells & taken:
            continue
        # A letter may take two columns, or none: all of it stands in the first.
        rows[row][start : start + wide] = [text, *[""] * (wide - 1)]
        styles[row][start : start + wide] = [Style.null()] * wide
        taken |= cells | {(row, start - 1), (row, start + wide)} - {(row, column)}
        return True
    return False
