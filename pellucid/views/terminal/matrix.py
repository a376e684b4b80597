"""A matrix on a terminal: labels, aligned numbers, colour where there is colour.

A matrix wider than the page is stacked in groups of columns; one that would fill screens is
reduced to its edges, and a line under it says so.
"""

from __future__ import annotations

import math

import numpy as np
from rich.text import Text

from pellucid.views.labels import clean
from pellucid.views.matrix import Matrix
from pellucid.views.numbers import NumberFormat
from pellucid.views.selection import Selection
from pellucid.views.terminal import theme
from pellucid.views.terminal.grid import Grid
from pellucid.views.terminal.labels import fit
from pellucid.views.terminal.page import Lines, Page
from pellucid.views.terminal.prose import INDENT, caption, remark

_MOST_GROUPS = 4
_MOST_ROWS = 40
_NARROWEST_COLUMN = 3
_LINES_OVER_GROUP = 4
_ROOMY = 60
"""The width from which a legend need not save room."""


def draw_matrix(matrix: Matrix, page: Page) -> Lines:
    """Draw the matrix under its title and equation, then a legend if it has colours, and notes."""
    grid = _fitting(matrix, page)
    lines = list(caption(matrix.title, page, name=matrix.name, formula=matrix.equation))
    if not matrix.rows.dim and not matrix.columns.dim:
        lines.append(Text(" " * INDENT + _scalar(matrix, page)))
        return (*lines, *(remark(matrix.note, page) if matrix.note else ()))
    for group in grid.groups(_room(matrix, grid, page)):
        if group.start:
            lines.append(Text())
        lines.extend(_draw_group(matrix, grid, group))
    if page.colours:
        lines.extend(_legend(matrix, grid, page))
    lines.extend(_reduction(matrix, grid, page))
    if matrix.note:
        lines.extend(remark(matrix.note, page))
    return tuple(lines)


def _fitting(matrix: Matrix, page: Page) -> Grid:
    """All columns if they stack within the page's lines, else as many as stand in one group."""
    rows = Selection.of(matrix.values.shape[0], min(_MOST_ROWS, page.lines))
    size = matrix.values.shape[1]
    most = page.width // _NARROWEST_COLUMN
    if size <= _MOST_GROUPS * most:
        grid = Grid.of(matrix, rows, Selection.of(size, size), page)
        groups = len(grid.groups(_room(matrix, grid, page)))
        height = groups * (len(rows.indices) + _LINES_OVER_GROUP)
        if groups == 1 or (groups <= _MOST_GROUPS and height <= page.lines):
            return grid
    columns = min(size, most)
    while columns > 2:
        grid = Grid.of(matrix, rows, Selection.of(size, columns), page)
        held = grid.held(_room(matrix, grid, page))
        if held == len(grid.column_labels):
            return grid
        columns = min(held, columns - 1)
    return Grid.of(matrix, rows, Selection.of(size, 2), page)


def _room(matrix: Matrix, grid: Grid, page: Page) -> int:
    """What the page leaves for the columns of numbers."""
    return page.width - INDENT - grid.label_width(matrix.rows.dim) - 1


def _draw_group(matrix: Matrix, grid: Grid, group: range) -> list[Text]:
    """Draw one group of columns: the dims, the column labels, a rule, the rows."""
    widths, side = grid.widths(), grid.label_width(matrix.rows.dim)
    across = sum(widths[column] for column in group)
    lines = []
    if matrix.columns.dim:
        words = matrix.columns.dim + (" (continued)" if group.start else "")
        line = Text(" " * (INDENT + side + 2))
        lines.append(line.append(fit(words, min(len(words), across)), theme.QUIET))
    labels = Text(" " * INDENT).append(fit(matrix.rows.dim, side) + " ", theme.QUIET)
    for column in group:
        labels.append(fit(grid.column_labels[column], widths[column] - 1, "right") + " ")
    lines.append(labels)
    lines.append(Text(" " * INDENT).append("─" * (side + 1 + across), theme.RULE))
    for label, texts, styles in zip(grid.row_labels, grid.texts, grid.styles, strict=True):
        line = Text(" " * INDENT + fit(label, side) + " ")
        for column in group:
            line.append(fit(texts[column], widths[column] - 1, "right") + " ", styles[column])
        lines.append(line)
    return lines


def _legend(matrix: Matrix, grid: Grid, page: Page) -> list[Text]:
    """One line with the colours between the numbers that stand at the ends of the scale."""
    swatches = theme.swatches(matrix.kind, colours=page.colours)
    if not swatches or not grid.limit:
        return []
    limit = NumberFormat.fitting(np.array([grid.limit])).text(grid.limit)
    size = 3 if page.width >= _ROOMY else 1
    line = Text(" " * INDENT)
    if np.any(grid.values < 0):
        line.append(f"-{limit} ", theme.QUIET)
        for style in reversed(theme.swatches(matrix.kind, below=True, colours=page.colours)):
            line.append("-".center(size), style)
        line.append(" ")
    line.append("0 ", theme.QUIET)
    for style in swatches:
        line.append("+".center(size), style)
    return [line.append(f" {limit}", theme.QUIET)]


def _reduction(matrix: Matrix, grid: Grid, page: Page) -> Lines:
    """Say what is not shown, if anything, and where it is."""
    sides = ((grid.rows, "rows"), (grid.columns, "columns"))
    parts = [selection.words(noun) for selection, noun in sides if not selection.whole]
    if not parts:
        return ()
    where = f"`.values` of {clean(matrix.name)}" if matrix.name else "`.values`"
    return remark(f"Shown: {' and '.join(parts)}; {where} has all {matrix.values.size:,}.", page)


def _scalar(matrix: Matrix, page: Page) -> str:
    """The one number of a matrix without dims."""
    number = matrix.values.item()
    if math.isfinite(number):
        return f"{number:.6g}"
    return NumberFormat(0, unicode=page.unicode).text(number)
