"""The part of a matrix that is shown, written out: labels, texts and styles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len
from rich.style import Style

from pellucid.views.labels import label
from pellucid.views.matrix import Axis, Matrix, MatrixKind
from pellucid.views.numbers import NumberFormat, at_points, percent
from pellucid.views.selection import Selection
from pellucid.views.terminal import theme
from pellucid.views.terminal.labels import fit
from pellucid.views.terminal.page import Page

_LONGEST_LABEL = 16
_LONGEST_WORD = 9


@dataclass(frozen=True)
class Grid:
    """Selected rows and columns of a matrix, with a row and a column of dots where some are not.

    `values` are the numbers shown; `limit` is the end of their colour scale.
    """

    rows: Selection
    columns: Selection
    values: NDArray[Any]
    limit: float
    row_labels: list[str] = field(default_factory=list)
    column_labels: list[str] = field(default_factory=list)
    texts: list[list[str]] = field(default_factory=list)
    styles: list[list[Style]] = field(default_factory=list)
    worded: bool = False

    @classmethod
    def of(cls, matrix: Matrix, rows: Selection, columns: Selection, page: Page) -> Grid:
        """Write out the selected part: numbers in one format, at their points."""
        values = matrix.values[np.ix_(rows.indices, columns.indices)]
        limit = _limit(matrix, values)
        flat = values.reshape(-1).tolist()
        form = NumberFormat.fitting(values, unicode=page.unicode, most=matrix.decimals)
        texts = at_points([form.text(number) for number in flat])
        if matrix.words is not None:
            texts = _worded(matrix.words, rows, columns, flat, matrix.kind)
        styles = [
            theme.cell_style(matrix.kind, number, limit, colours=page.colours) for number in flat
        ]
        width = len(columns.indices)
        rows_of = [slice(row * width, (row + 1) * width) for row in range(len(rows.indices))]
        longest = min(_LONGEST_LABEL, page.width // 5)
        grid = cls(
            rows=rows,
            columns=columns,
            values=values,
            limit=limit,
            row_labels=_labels(matrix.rows, rows, longest, numbered=matrix.rows.dim == "vocab"),
            column_labels=_labels(matrix.columns, columns, longest),
            texts=[texts[row] for row in rows_of],
            worded=matrix.words is not None,
            styles=[styles[row] for row in rows_of],
        )
        grid._mark_gaps()
        return grid

    def label_width(self, dim: str) -> int:
        """Columns that the row labels take, under the name of their dim."""
        return max(map(cell_len, (dim, *self.row_labels)))

    def widths(self) -> list[int]:
        """The width of each column, with a space at either side that its colour fills too."""
        longest = [
            max((cell_len(row[column]) for row in self.texts), default=0)
            for column in range(len(self.column_labels))
        ]
        if not self.worded:
            # Columns of numbers are to be compared: all are as wide as the widest.
            longest = [max(longest, default=0)] * len(longest)
        names = map(cell_len, self.column_labels)
        return [2 + max(each) for each in zip(longest, names, strict=True)]

    def held(self, room: int) -> int:
        """How many columns, from the left, `room` holds."""
        return len(_split(self.widths(), room, len(self.column_labels))[0])

    def groups(self, room: int) -> list[range]:
        """The columns in as few groups as `room` allows, and as equal as they can be."""
        widths = self.widths()
        fewest = _split(widths, room, len(widths))
        balanced = _split(widths, room, -(-len(widths) // len(fewest)))
        return balanced if len(balanced) == len(fewest) else fewest

    def _mark_gaps(self) -> None:
        if not self.columns.whole:
            self.column_labels.insert(self.columns.first, "…")
            for texts, styles in zip(self.texts, self.styles, strict=True):
                texts.insert(self.columns.first, "…")
                styles.insert(self.columns.first, theme.QUIET)
        if not self.rows.whole:
            width = len(self.column_labels)
            self.row_labels.insert(self.rows.first, "⋮")
            self.texts.insert(self.rows.first, ["⋮"] * width)
            self.styles.insert(self.rows.first, [theme.QUIET] * width)


def _labels(axis: Axis, chosen: Selection, longest: int, *, numbered: bool = False) -> list[str]:
    """Labels cut to the longest there is room for, with their index where that tells them apart."""
    if axis.labels is None:
        return [str(index) for index in chosen.indices]
    labels = [label(axis.labels[index]) for index in chosen.indices]
    labels = [fit(name, min(cell_len(name), longest)) for name in labels]
    if not numbered and len(set(labels)) == len(labels):
        return labels
    digits = len(str(chosen.indices[-1])) if chosen.indices else 0
    return [f"{i:>{digits}} {name}" for i, name in zip(chosen.indices, labels, strict=True)]


def _worded(
    words: tuple[tuple[str, ...], ...],
    rows: Selection,
    columns: Selection,
    flat: list[float],
    kind: MatrixKind,
) -> list[str]:
    """Each cell's word, and behind it its number: a share in percent."""
    shown = [label(words[row][column]) for row in rows.indices for column in columns.indices]
    shown = [fit(word, min(cell_len(word), _LONGEST_WORD)) for word in shown]
    # What is more than the whole is no share, whatever it was called.
    if kind == "probability" and not any(abs(number) > 1 for number in flat):
        numbers = [percent(number, decimals=0) for number in flat]
    else:
        form = NumberFormat.fitting(np.array(flat))
        numbers = [form.text(number) for number in flat]
    return [f"{word} {number}" for word, number in zip(shown, numbers, strict=True)]


def _limit(matrix: Matrix, values: NDArray[Any]) -> float:
    """What the matrix asks for; else 1 for probabilities or the largest finite magnitude shown."""
    if matrix.limit is not None:
        return matrix.limit
    if matrix.kind == "probability":
        return 1.0
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def _split(widths: list[int], room: int, most: int) -> list[range]:
    """Cut columns into runs no wider than `room` and no longer than `most`."""
    groups: list[range] = []
    start = used = 0
    for index, width in enumerate(widths):
        if index > start and (used + width > room or index - start == most):
            groups.append(range(start, index))
            start, used = index, 0
        used += width
    return [*groups, range(start, len(widths))]
