"""A matrix as an HTML table: labels that stay in sight, coloured cells, a legend of the colours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pellucid.views.html.colours import STEPS, step_class
from pellucid.views.html.element import Html, element, joined
from pellucid.views.html.prose import captioned
from pellucid.views.html.sheet import Sheet
from pellucid.views.html.words import label
from pellucid.views.labels import clean
from pellucid.views.markup import escape
from pellucid.views.matrix import Axis, Matrix
from pellucid.views.numbers import NumberFormat, percent
from pellucid.views.scene import Equation
from pellucid.views.selection import Selection

Item = TypeVar("Item")

_LONGEST_LABEL = 24
_LONGEST_WORD = 16
_GAP = 2
"""The room around a number, in characters."""
_TAG = re.compile(r"<[^>]*>")


def draw_matrix(matrix: Matrix, sheet: Sheet) -> Html:
    """The matrix under its title and equation, then a legend if it has colours, and notes."""
    rows, columns = (
        Selection.of(size, most)
        for size, most in zip(matrix.values.shape, (sheet.rows, sheet.columns), strict=True)
    )
    values = matrix.values[np.ix_(rows.indices, columns.indices)]
    limit = limit_of(matrix, values)
    head = [element("th", name, scope="col") for name in labels(matrix.columns, columns)]
    head = with_gap(head, columns, element("th", "…"))
    lines = written(matrix, values, rows, columns, limit)
    tables = [
        table(matrix, head[group], [(name, cells[group]) for name, cells in lines])
        for group in groups([head, *(cells for _, cells in lines)], sheet.across)
    ]
    return captioned(
        matrix.title,
        element("div", *tables, class_="scroll"),
        legend(matrix, values, limit),
        sheet=sheet,
        name=matrix.name,
        equation=Equation(matrix.equation, matrix.latex) if matrix.equation else None,
        notes=(reduction(matrix, rows, columns), matrix.note or ""),
    )


def table(matrix: Matrix, head: Sequence[Html], lines: Sequence[tuple[Html, list[Html]]]) -> Html:
    """Some columns with all rows: the dims in the corner, a label at the end of each side."""
    row, column = clean(matrix.rows.dim), clean(matrix.columns.dim)
    dims = [*([f"{row} ↓"] if row else []), *([f"{column} →"] if column else [])]
    corner = element("th", " ".join(dims), class_="corner")
    body = [element("tr", name, *cells) for name, cells in lines]
    return element(
        "table",
        element("thead", element("tr", corner, *head)),
        element("tbody", *body),
        class_="matrix",
    )


def written(
    matrix: Matrix, values: NDArray[Any], rows: Selection, columns: Selection, limit: float
) -> list[tuple[Html, list[Html]]]:
    """Each row's label, and its numbers in one format and in their colours."""
    form = NumberFormat.fitting(values, most=matrix.decimals)
    lines = []
    places = zip(rows.indices, labels(matrix.rows, rows), values.tolist(), strict=True)
    for row, name, numbers in places:
        texts: list[str] = [form.text(n) for n in numbers]
        if matrix.words is not None:
            words = [matrix.words[row][column] for column in columns.indices]
            texts = [with_number(*each, matrix) for each in zip(words, numbers, texts, strict=True)]
        cells = [
            cell(text, step_class(matrix.kind, n, limit))
            for text, n in zip(texts, numbers, strict=True)
        ]
        lines.append(
            (element("th", name, scope="row"), with_gap(cells, columns, cell("…", "quiet")))
        )
    dots = [cell("⋮", "quiet")] * (len(columns.indices) + (not columns.whole))
    return with_gap(lines, rows, (element("th", "⋮"), dots))


def with_number(word: str, number: float, text: str, matrix: Matrix) -> Html:
    """A cell's word, and behind it its number: a share in percent."""
    said = percent(number, decimals=0) if matrix.kind == "probability" else text
    return joined([label(word, _LONGEST_WORD), " ", element("small", said)])


def groups(rows: Sequence[Sequence[Html]], across: int | None) -> list[slice]:
    """Columns in as few groups as `across` characters allow, and as equal as they can be."""
    size = len(rows[0])
    widest = max((len(unescape(_TAG.sub("", cell))) for row in rows for cell in row), default=0)
    parts = -(-size // max(across // (widest + _GAP), 1)) if across else 1
    ends = [round(size * part / parts) for part in range(parts + 1)] if parts else []
    return [slice(start, end) for start, end in pairwise(ends)]


def cell(text: str, class_: str) -> Html:
    """A cell of the body."""
    return element("td", text, class_=class_ or None)


def with_gap(items: Sequence[Item], chosen: Selection, gap: Item) -> list[Item]:
    """The items, with a sign where some are left out between them."""
    if chosen.whole:
        return list(items)
    return [*items[: chosen.first], gap, *items[chosen.first :]]


def labels(axis: Axis, chosen: Selection) -> list[Html]:
    """A label for each place, with its index where labels alone do not tell places apart."""
    if axis.labels is None:
        return [Html(index) for index in chosen.indices]
    shown = [label(axis.labels[index], _LONGEST_LABEL) for index in chosen.indices]
    if len(set(shown)) == len(shown):
        return shown
    return [
        joined([element("small", str(index)), " ", name])
        for index, name in zip(chosen.indices, shown, strict=True)
    ]


def limit_of(matrix: Matrix, values: NDArray[Any]) -> float:
    """The end of the colours: the matrix's own, 1 for probabilities, or the largest finite size."""
    if matrix.limit is not None:
        return matrix.limit
    if matrix.kind == "probability":
        return 1.0
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def legend(matrix: Matrix, values: NDArray[Any], limit: float) -> Html:
    """The colours between the numbers that stand at the ends of the scale."""
    if matrix.kind in ("ids", "plain") or not limit:
        return Html()
    below = matrix.kind != "probability" and bool(np.any(values < 0))
    shares = [share / STEPS for share in range(-STEPS if below else 0, STEPS + 1)]
    end = NumberFormat.fitting(np.array([limit])).text(limit)
    return element(
        "p",
        f"-{end}" if below else "0",
        element("span", *(swatch(matrix, share) for share in shares), class_="scale"),
        end,
        class_="legend",
    )


def swatch(matrix: Matrix, share: float) -> Html:
    """One colour of the legend."""
    return element("span", class_=step_class(matrix.kind, share, 1.0) if share else "zero")


def reduction(matrix: Matrix, rows: Selection, columns: Selection) -> str:
    """What is not shown, if anything, and where it is."""
    sides = ((rows, "rows"), (columns, "columns"))
    parts = [chosen.words(noun) for chosen, noun in sides if not chosen.whole]
    if not parts:
        return ""
    where = f"`.values` of {escape(clean(matrix.name))}" if matrix.name else "`.values`"
    return f"Shown: {' and '.join(parts)}; {where} has all {matrix.values.size:,}."
