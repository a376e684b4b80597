"""Which cells of a matrix are drawn where there is not room for all, and the words that say so.

Nothing is averaged, as no number is drawn that was not computed. Where numbers stand in the cells,
the edges are shown, as on a terminal. Where colours alone are left, every second, third, … row and
column is; of probabilities, which peak in single cells, the largest of each block.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.views.labels import label
from pellucid.views.matrix import Axis, Matrix
from pellucid.views.selection import Selection

Places = tuple[int | None, ...]
"""Indices along one side; None for the gap where some are left out."""


@dataclass(frozen=True, eq=False)
class Shown:
    """The cells that are drawn `[row, column]`, the indices they come from, and what is hidden.

    `masked` are cells that a causal mask forbids: −∞ before the softmax, 0 after it. `note` says
    how the matrix was reduced.
    """

    values: NDArray[Any]
    masked: NDArray[np.bool_]
    rows: Places
    columns: Places
    note: str | None = None

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """Cells of a row or column that stands for those left out."""
        down = np.array([index is None for index in self.rows])
        across = np.array([index is None for index in self.columns])
        return np.asarray(down[:, None] | across)


def whole(matrix: Matrix) -> Shown:
    """All of it."""
    rows, columns = (tuple(range(size)) for size in matrix.values.shape)
    return Shown(matrix.values, masked(matrix), rows, columns)


def masked(matrix: Matrix) -> NDArray[np.bool_]:
    """The cells of later tokens, where nothing may come from: exactly 0, or −∞."""
    values = matrix.values
    if (matrix.rows.dim, matrix.columns.dim) != ("query", "key"):
        return np.zeros(values.shape, dtype=bool)
    queries, keys = values.shape
    # With a cache there are more keys than queries: the last query is at the last key.
    later = np.arange(keys) > np.arange(queries)[:, None] + keys - queries
    empty = values == 0 if matrix.kind == "probability" else np.isneginf(values)
    return np.asarray(later & empty)


def edges(matrix: Matrix, most_rows: int, most_columns: int) -> Shown:
    """The beginning and the end of each side that is longer than there is room for."""
    rows = Selection.of(matrix.values.shape[0], most_rows)
    columns = Selection.of(matrix.values.shape[1], most_columns)
    chosen = np.ix_(rows.indices, columns.indices)
    values, hidden = matrix.values[chosen], masked(matrix)[chosen]
    for axis, side in enumerate((rows, columns)):
        if not side.whole:
            values = np.insert(values, side.first, 0, axis=axis)
            hidden = np.insert(hidden, side.first, False, axis=axis)
    nouns = ((rows, _along(matrix.rows, "rows")), (columns, _along(matrix.columns, "columns")))
    left_out = [side.words(noun) for side, noun in nouns if not side.whole]
    note = f"Shown: {' and '.join(left_out)}." if left_out else None
    return Shown(values, hidden, _with_gap(rows), _with_gap(columns), note)


def thinned(matrix: Matrix, most_rows: int, most_columns: int) -> Shown:
    """Every k-th row and column; of probabilities, the largest number of each block of cells."""
    shape = matrix.values.shape
    down, across = -(-shape[0] // most_rows), -(-shape[1] // most_columns)
    if down == across == 1:
        return whole(matrix)
    rows, columns = tuple(range(0, shape[0], down)), tuple(range(0, shape[1], across))
    if matrix.kind == "probability":
        values = _largest(matrix.values, down, across)
        hidden = ~_largest(~masked(matrix), down, across)
        note = (
            f"Shown: the largest of each {down} × {across} cells (of {shape[0]:,} × {shape[1]:,})."
        )
    else:
        values, hidden = (each[::down, ::across] for each in (matrix.values, masked(matrix)))
        note = f"Shown: {_every(matrix, down, across)}{_unseen(matrix.values, values)}."
    return Shown(values, hidden, rows, columns, note)


def _largest(values: NDArray[Any], down: int, across: int) -> NDArray[Any]:
    """The largest of each block; NaN where there is one in it."""
    by_rows = np.maximum.reduceat(values, range(0, values.shape[0], down), axis=0)
    return np.maximum.reduceat(by_rows, range(0, values.shape[1], across), axis=1)


def _every(matrix: Matrix, down: int, across: int) -> str:
    """Which rows and columns are left: "every 4th along position (of 1,024)"."""
    steps = zip((down, across), matrix.values.shape, strict=True)
    sides = zip(steps, (_along(matrix.rows, "row"), _along(matrix.columns, "column")), strict=True)
    return " and ".join(
        f"every {_ordinal(step)} {noun} (of {size:,})" for (step, size), noun in sides if step > 1
    )


def _along(axis: Axis, noun: str) -> str:
    return f"along {axis.dim}" if axis.dim else noun


def _unseen(values: NDArray[Any], shown: NDArray[Any]) -> str:
    """What must not be lost from sight: numbers that are none."""
    missing = int(np.isnan(values).sum() - np.isnan(shown).sum())
    return f"; {missing:,} NaN are not among them" if missing else ""


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10)
    return f"{number:,}{ending or 'th'}"


def _with_gap(side: Selection) -> Places:
    if side.whole:
        return side.indices
    return (*side.indices[: side.first], None, *side.indices[side.first :])


def labels_of(axis: Axis, places: Places, gap: str) -> list[str]:
    """The labels of the places shown, with their index where labels alone do not tell them apart.

    A vocabulary always has its ids, as other views name them.
    """
    if axis.labels is None:
        return [gap if place is None else str(place) for place in places]
    numbered = axis.dim == "vocab" or len(set(axis.labels)) < len(axis.labels)
    return [
        gap if place is None else f"{place} " * numbered + label(axis.labels[place])
        for place in places
    ]
