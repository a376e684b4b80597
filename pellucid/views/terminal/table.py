"""A table on a terminal: numbers by their points, words wrapped inside their own column."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from rich.cells import cell_len
from rich.text import Text

from pellucid.views.labels import clean
from pellucid.views.numbers import NumberFormat, at_points, is_number
from pellucid.views.scene import Align, Cell, Table
from pellucid.views.selection import Selection
from pellucid.views.terminal import theme
from pellucid.views.terminal.page import Lines, Page
from pellucid.views.terminal.prose import INDENT, caption, remark
from pellucid.views.terminal.wrap import wrap

_GAP = 2
_LONGEST_WORD = 28
"""Words are kept whole up to this length."""


@dataclass(frozen=True)
class _Column:
    """One column written out, and the widths it can take."""

    name: str
    texts: list[str]
    align: Align

    @property
    def natural(self) -> int:
        return max(cell_len(text) for text in (self.name, *self.texts))

    @property
    def narrowest(self) -> int:
        """Text can be broken between words, numbers cannot."""
        words = self.name.split()
        if self.align == "left":
            words.extend(word for text in self.texts for word in text.split())
        numbers = [] if self.align == "left" else self.texts
        longest = min(max(map(cell_len, words), default=1), _LONGEST_WORD)
        return max(longest, *map(cell_len, numbers), 1)


def draw_table(table: Table, page: Page) -> Lines:
    """Draw the table under its title, with a rule below the column names.

    A table longer than the page's lines shows its beginning and its end; columns that the page
    cannot hold are left out. A line under the table says so.
    """
    rows = Selection.of(len(table.rows), page.lines)
    columns = [_column(table, place, rows, page) for place in range(len(table.columns))]
    widths = _widths(columns, page.width - INDENT)
    columns, left_out = columns[: len(widths)], columns[len(widths) :]
    aligns = [column.align for column in columns]
    lines = list(caption(table.title, page))
    lines.extend(
        _spread([Text().append(column.name, theme.QUIET) for column in columns], widths, aligns)
    )
    lines.append(Text(" " * INDENT).append("─" * _total(widths), theme.RULE))
    for index in range(len(rows.indices)):
        if not rows.whole and index == rows.first:
            lines.append(Text(" " * INDENT).append("⋮", theme.QUIET))
        lines.extend(_spread([Text(column.texts[index]) for column in columns], widths, aligns))
    if not rows.whole:
        lines.extend(remark(f"Shown: {rows.words('rows')}.", page))
    if left_out:
        names = ", ".join(column.name for column in left_out)
        lines.extend(remark(f"Not shown at {page.width} columns: {names}.", page))
    if table.note:
        lines.extend(remark(table.note, page))
    return tuple(lines)


def _column(table: Table, place: int, rows: Selection, page: Page) -> _Column:
    """Write out the selected cells of one column, its floats in one format."""
    cells = [table.rows[index][place] for index in rows.indices]
    align = table.align[place] if table.align is not None else _align(cells)
    floats = np.array([cell for cell in cells if isinstance(cell, float)])
    form = NumberFormat.fitting(floats, unicode=page.unicode)
    texts = [_text(cell, form) for cell in cells]
    return _Column(
        name=clean(table.columns[place]),
        texts=at_points(texts) if align == "decimal" else texts,
        align=align,
    )


def _align(cells: list[Cell]) -> Align:
    """By their points if a column holds numbers alone, else at the left."""
    filled = [cell for cell in cells if cell not in (None, "")]
    return "decimal" if filled and all(map(is_number, filled)) else "left"


def _text(cell: Cell, form: NumberFormat) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return form.text(cell)
    return clean(cell) if isinstance(cell, str) else f"{cell:,}"


def _widths(columns: list[_Column], room: int) -> list[int]:
    """Widths of the columns that fit, from the left: natural ones, or the widest give way first."""
    kept = len(columns)
    while kept > 1 and _total([column.narrowest for column in columns[:kept]]) > room:
        kept -= 1
    widths = [column.natural for column in columns[:kept]]
    while _total(widths) > room:
        spare = [width - column.narrowest for width, column in zip(widths, columns, strict=False)]
        widest = max(range(kept), key=lambda place: (spare[place] > 0, widths[place]))
        if not spare[widest]:
            break
        widths[widest] -= 1
    return widths


def _total(widths: list[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _spread(cells: list[Text], widths: list[int], aligns: list[Align]) -> list[Text]:
    """One row of cells as lines: as many as its longest cell needs."""
    parts = [
        wrap(cell, width) if cell.cell_len > width else (cell,)
        for cell, width in zip(cells, widths, strict=True)
    ]
    lines = []
    for pieces in zip_longest(*parts, fillvalue=Text()):
        line = Text(" " * (INDENT - _GAP))
        for piece, width, align in zip(pieces, widths, aligns, strict=True):
            space = " " * (width - piece.cell_len)
            before, after = ("", space) if align == "left" else (space, "")
            line.append(" " * _GAP + before).append_text(piece).append(after)
        lines.append(line)
    return lines
