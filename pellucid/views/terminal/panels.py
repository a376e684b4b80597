"""A grid of small matrices on a terminal: a shade or a colour for each cell, one legend for all."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from pellucid.views.labels import label
from pellucid.views.matrix import MatrixKind
from pellucid.views.numbers import NumberFormat
from pellucid.views.panels import Panels
from pellucid.views.selection import Selection
from pellucid.views.terminal import theme
from pellucid.views.terminal.labels import fit
from pellucid.views.terminal.page import Lines, Page
from pellucid.views.terminal.prose import INDENT, caption, remark

_MOST_CELLS = 8
_LEAST_CELLS = 6
"""To fewer cells a matrix is not reduced: rather some matrices are left out."""
_GAP = 2
_LONGEST_LABEL = 16
_SHADES = "·░▒▓█"
_PLAIN = ".:=*#"


def draw_panels(panels: Panels, page: Page) -> Lines:
    """Draw every matrix as a square of shades, reduced to what the page has room for."""
    n_rows, n_columns, _, _ = panels.shape
    names = [label(name) for name in panels.row_names]
    side = min(max(map(cell_len, names)), _LONGEST_LABEL)
    room = page.width - INDENT - side
    most = min(_MOST_CELLS, room // n_columns - _GAP, page.lines // n_rows - 1)
    small = panels.reduced(max(most, _LEAST_CELLS), max(most, _LEAST_CELLS))
    _, _, height, across = small.shape
    # Two columns are about as wide as a row is high.
    wide = 2 if n_columns * (2 * across + _GAP) <= room else 1
    columns = Selection.of(n_columns, max(room // (wide * across + _GAP), 1))
    rows = Selection.of(n_rows, max(page.lines // (height + 1), 1))
    lines = [*caption(panels.title, page), _head(panels, columns, side, wide * across)]
    limit = panels.limit
    for row in rows.indices:
        for line in range(height):
            text = Text(" " * INDENT + fit(names[row] if not line else "", side))
            for column in columns.indices:
                text.append(" " * _GAP)
                numbers = small.values[row][column, line]
                text.append_text(_cells(numbers, panels, limit, wide, page))
            text.truncate(page.width)
            lines.append(text)
        lines.append(Text())
    lines.extend(_legend(panels, limit, page))
    for selection, noun in ((rows, f"{panels.rows.dim}s"), (columns, f"{panels.columns.dim}s")):
        if not selection.whole:
            lines.extend(remark(f"Shown: {selection.words(noun)}.", page))
    if small.note:
        lines.extend(remark(small.note, page))
    return tuple(lines)


def _head(panels: Panels, columns: Selection, side: int, width: int) -> Text:
    """The names of the columns over them; where they are too long, the dim and the indices."""
    names = [label(name) for name in panels.column_names]
    words = ""
    if max(cell_len(names[column]) for column in columns.indices) > width:
        names, words = list(map(str, range(panels.shape[1]))), panels.columns.dim
    line = Text(" " * INDENT + fit(words, side))
    for column in columns.indices:
        line.append(" " * _GAP + fit(names[column], width))
    return line


def _cells(numbers: NDArray[Any], panels: Panels, limit: float, wide: int, page: Page) -> Text:
    """One row of a matrix, a sign for each number."""
    line = Text()
    for number in numbers.tolist():
        line.append(_sign(number, limit, page) * wide, _style(number, panels.kind))
    return line


def _style(number: float, kind: MatrixKind) -> Style:
    """The colour of a shade; how strong it is says the shade itself."""
    if math.isnan(number):
        return theme.NOT_A_NUMBER
    if number < 0:
        return theme.NEGATIVE
    return theme.PROBABILITY if kind == "probability" else theme.POSITIVE


def _sign(number: float, limit: float, page: Page) -> str:
    """A shade for how far a number is from 0; nothing for 0 and −∞, which is the future."""
    if math.isnan(number):
        return "?"
    if number == 0 or math.isinf(number):
        return "!" if number > 0 else " "
    shades = _SHADES if page.unicode else _PLAIN
    return shades[min(int(abs(number) / limit * len(shades)), len(shades) - 1)]


def _legend(panels: Panels, limit: float, page: Page) -> Lines:
    """What the shades mean, and what runs which way inside a matrix."""
    shades = _SHADES if page.unicode else _PLAIN
    end = NumberFormat.fitting(np.array([limit]), unicode=page.unicode).text(limit)
    words = [f"Shades: from {shades[0]} near 0 to {shades[-1]} {end}, nothing for 0."]
    if panels.kind in ("signed", "weight"):
        words.append("Blue above 0, orange below." if page.colours else "Below 0 likewise.")
    if any(np.isnan(array).any() for array in panels.values):
        words.append("? is NaN.")
    words.append(f"In each, {panels.inner_rows.dim} down and {panels.inner_columns.dim} across.")
    return remark(" ".join(words), page)
