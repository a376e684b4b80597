"""A table of words and numbers as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from pellucid.views.html.element import Html, element, text
from pellucid.views.html.prose import captioned
from pellucid.views.html.sheet import Sheet
from pellucid.views.html.words import running, shortened
from pellucid.views.labels import clean
from pellucid.views.numbers import NumberFormat, at_points
from pellucid.views.scene import Align, Cell, Table
from pellucid.views.selection import Selection

_LONGEST_CELL = 400
_NUMBER = re.compile(r"[-+−]?(?:\d[\d,]*\.?\d*(?:e[-+−]?\d+)?|∞|inf|nan)\s*%?", re.IGNORECASE)


def draw_table(table: Table, sheet: Sheet) -> Html:
    """The table under its title; a long one shows its beginning and its end, and a note says so."""
    rows = Selection.of(len(table.rows), sheet.rows)
    columns = [column(table, place, rows) for place in range(len(table.columns))]
    lines = [element("tr", *cells) for cells in zip(*(cells for _, cells in columns), strict=True)]
    if not rows.whole:
        lines.insert(
            rows.first, element("tr", *[element("td", "⋮", class_="quiet")] * len(columns))
        )
    head = element("thead", element("tr", *(name for name, _ in columns)))
    notes = (f"Shown: {rows.words('rows')}." if not rows.whole else "", table.note or "")
    return captioned(
        table.title,
        element("div", element("table", head, element("tbody", *lines)), class_="scroll"),
        sheet=sheet,
        notes=notes,
    )


def column(table: Table, place: int, rows: Selection) -> tuple[Html, list[Html]]:
    """One column: its name, and its cells, the floats among them in one format."""
    cells = [table.rows[index][place] for index in rows.indices]
    align = table.align[place] if table.align is not None else natural(cells)
    form = NumberFormat.fitting(np.array([cell for cell in cells if isinstance(cell, float)]))
    class_ = None if align == "left" else "number"
    name = element("th", running(table.columns[place]), scope="col", class_=class_)
    if align == "left":
        return name, [element("td", words(cell, form)) for cell in cells]
    texts = [written(cell, form) for cell in cells]
    if align == "decimal":
        return name, [element("td", n, class_=class_) for n in padded(texts)]
    return name, [element("td", running(each), class_=class_) for each in texts]


def natural(cells: list[Cell]) -> Align:
    """By their points if a column holds numbers alone, else at the left."""
    filled = [cell for cell in cells if cell not in (None, "")]
    numeric = all(not isinstance(cell, str) or _NUMBER.fullmatch(cell) for cell in filled)
    return "decimal" if filled and numeric else "left"


def words(cell: Cell, form: NumberFormat) -> Html:
    """A cell that stands at the left."""
    return element("bdi", shortened(running(written(cell, form)), _LONGEST_CELL))


def written(cell: Cell, form: NumberFormat) -> str:
    """A cell as text."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return form.text(cell)
    return cell if isinstance(cell, str) else f"{cell:,}"


def padded(texts: Iterable[str]) -> list[Html]:
    """Numbers that, set flush right in figures of one width, have their points in one column.

    What is missing after a point is filled with space as wide as a figure, or as a point.
    """
    return [tail(line) for line in at_points([clean(each) for each in texts])]


def tail(line: str) -> Html:
    """A padded number without the space before it, and with wide enough space behind it."""
    number = line.strip(" ")
    missing = len(line) - len(line.rstrip(" ")) if number else 0
    point = missing and "." not in number
    space = ("\u2008" if point else "") + "\u2007" * (missing - bool(point))
    return Html(text(number) + space)
