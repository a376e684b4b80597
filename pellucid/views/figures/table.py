"""A table: columns of words and numbers under their names."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes

from pellucid.views.figures.captions import caption
from pellucid.views.figures.measure import Extent, room_of
from pellucid.views.figures.style import points
from pellucid.views.figures.text import LINE, safe, width, wrapped
from pellucid.views.figures.theme import Theme
from pellucid.views.figures.words import blank
from pellucid.views.numbers import NumberFormat, is_number, whole_part
from pellucid.views.scene import Align, Cell, Table
from pellucid.views.selection import Selection

MOST = 40
"""A longer table shows its beginning and its end."""
BETWEEN = 1.6
"""Between two columns, in sizes of the text."""
ROW, RULE = 1.65, 0.32
"""The height of a row of one line, and how far its rule is above its end, in sizes of the type."""
LEAST_WORDS = 8.0
"""A column of words is not broken into less, in sizes of the text."""


@dataclass(frozen=True)
class Column:
    """A column written out: lines for its name and for each row, and its width in points.

    `after` is what the longest number has behind its point, `least` the narrowest width.
    """

    name: list[str]
    cells: list[list[str]]
    align: Align
    width: float
    after: float
    least: float

    def place(self, line: str, size: float) -> float:
        """How far from the column's left edge a line begins."""
        if self.align == "left":
            return 0.0
        if self.align == "right" or line in self.name:
            return self.width - width(line, size)
        return self.width - self.after - width(line[: whole_part(line)], size)


def draw_table(table: Table, axes: Axes, theme: Theme) -> None:
    """Draw the names of the columns over a rule, and the rows below it.

    Words are broken into lines where the room demands it; what is left out is said below.
    """
    blank(axes)
    columns, note = written(table, room_of(axes)[0])
    tops = np.cumsum([0.0, *heights(columns)]).tolist()
    left = 0.0
    for column in columns:
        _draw_cell(column, column.name, left, 0.0, axes, theme.quiet)
        for lines, top in zip(column.cells, tops[1:-1], strict=True):
            _draw_cell(column, lines, left, top, axes, theme.ink)
        left += column.width + _between()
    for place, top in enumerate(tops[1:]):
        colour, y = theme.grid if place else theme.quiet, top - RULE * points()
        across = [0, left - _between()]
        axes.plot(across, [y, y], color=colour, linewidth=points() / 14, clip_on=False)
    words = " ".join(part for part in (note, table.note) if part)
    caption(axes, theme, table.title, note=words or None)


def table_extent(table: Table, room: float) -> Extent:
    """As wide as its words, or as the room; as high as its rows are then."""
    columns, _ = written(table, room)
    gaps = _between() * max(len(columns) - 1, 0)
    across = sum(column.width for column in columns) + gaps
    least = sum(column.least for column in columns) + gaps
    return Extent(across + 0.5, sum(heights(columns)), min(least, across) + 0.5, words=True)


def written(table: Table, room: float) -> tuple[list[Column], str | None]:
    """The columns that so many points hold, from the left, and words for what is left out."""
    rows = Selection.of(len(table.rows), MOST)
    columns = [_column(table, place, rows) for place in range(len(table.columns))]
    kept = len(columns)
    while kept > 1 and sum(c.least for c in columns[:kept]) + _between() * (kept - 1) > room:
        kept -= 1
    notes = []
    if not rows.whole:
        notes.append(f"Shown: {rows.words('rows')}.")
    if kept < len(columns):
        notes.append(f"Not shown, for want of room: {', '.join(table.columns[kept:])}.")
    return _fitted(columns[:kept], room - _between() * (kept - 1)), " ".join(notes) or None


def heights(columns: list[Column]) -> list[float]:
    """The height of the names, and of each row, in points."""
    rows = zip(*([column.name, *column.cells] for column in columns), strict=True)
    most = (max(len(lines) for lines in row) for row in rows)
    return [(ROW + (lines - 1) * LINE) * _size() for lines in most]


def _draw_cell(
    column: Column, lines: list[str], left: float, top: float, axes: Axes, colour: str
) -> None:
    size = _size()
    for place, line in enumerate(lines):
        x, y = left + column.place(line, size), top + place * LINE * size
        axes.text(x, y, line, va="top", fontsize=size, color=colour)


def _column(table: Table, place: int, rows: Selection) -> Column:
    """One column with each cell on a line, its floats in one format; dots for missing rows."""
    cells = [table.rows[index][place] for index in rows.indices]
    align = table.align[place] if table.align is not None else _align(cells)
    form = NumberFormat.fitting(np.array([cell for cell in cells if isinstance(cell, float)]))
    texts = [_text(cell, form) for cell in cells]
    name, size = safe(table.columns[place]), _size()
    across = [width(text, size) for text in (name, *texts)]
    natural, after = max(across), 0.0
    if align == "decimal":
        parts = [(text[: (end := whole_part(text))], text[end:]) for text in texts]
        after = max((width(tail, size) for _, tail in parts), default=0.0)
        natural = max([width(head, size) + after for head, _ in parts] + across[:1])
    least = min(natural, LEAST_WORDS * size) if align == "left" else natural
    if not rows.whole:
        texts.insert(rows.first, "⋮")
    return Column([name], [[text] for text in texts], align, natural, after, least)


def _fitted(columns: list[Column], room: float) -> list[Column]:
    """The columns in so much room: the widest give way first, down to their least."""
    widths = [column.width for column in columns]
    while sum(widths) > room + 0.01:
        spare = [now - column.least for now, column in zip(widths, columns, strict=True)]
        widest = max(range(len(widths)), key=lambda place: (spare[place] > 0.01, widths[place]))
        if spare[widest] <= 0.01:
            break
        widths[widest] -= min(spare[widest], sum(widths) - room, _size())
    return [_broken(column, new) for column, new in zip(columns, widths, strict=True)]


def _broken(column: Column, across: float) -> Column:
    """The column in another width, its words broken into lines."""
    if across >= column.width:
        return column
    size = _size()
    cells = [wrapped(lines[0], across, size) for lines in column.cells]
    return replace(column, name=wrapped(column.name[0], across, size), cells=cells, width=across)


def _align(cells: list[Cell]) -> Align:
    """By their points if a column holds numbers alone, else at the left."""
    filled = [cell for cell in cells if cell not in (None, "")]
    return "decimal" if filled and all(is_number(cell) for cell in filled) else "left"


def _text(cell: Cell, form: NumberFormat) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return form.text(cell)
    return safe(cell) if isinstance(cell, str) else f"{cell:,}"


def _size() -> float:
    return 0.9 * points()


def _between() -> float:
    return BETWEEN * points()
