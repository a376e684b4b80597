"""The panels block: many small matrices in a grid, all to one scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.views.matrix import Axis, MatrixKind, frozen


@dataclass(frozen=True, eq=False)
class Panels:
    """A grid of matrices, such as the patterns of every block and head.

    `values` has an array `[column, inner row, inner column]` for each row of the grid, as they
    stand in a trace. `rows` and `columns` name the grid's sides, `inner_rows` and `inner_columns`
    those of every matrix. Raises ValueError when values and labels disagree.
    """

    title: str
    values: tuple[NDArray[Any], ...]
    rows: Axis
    columns: Axis
    inner_rows: Axis
    inner_columns: Axis
    kind: MatrixKind = "signed"
    note: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(map(frozen, self.values)))
        shapes = {array.shape for array in self.values}
        if len(shapes) != 1 or len(shape := next(iter(shapes))) != 3:
            raise ValueError(f"panels are arrays of one shape with 3 dims, not {sorted(shapes)}")
        sides = (self.rows, self.columns, self.inner_rows, self.inner_columns)
        for axis, size in zip(sides, (len(self.values), *shape), strict=True):
            if axis.labels is not None and len(axis.labels) != size:
                raise ValueError(f"{len(axis.labels)} labels for {size} indices of {axis.dim}")

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Rows and columns of the grid, then of each matrix."""
        across, down, wide = self.values[0].shape
        return len(self.values), across, down, wide

    @property
    def limit(self) -> float:
        """The end of the common scale: 1 for probabilities, else the largest finite magnitude."""
        if self.kind == "probability":
            return 1.0
        return max(
            float(np.abs(array[np.isfinite(array)]).max(initial=0.0)) for array in self.values
        )

    @property
    def row_names(self) -> tuple[str, ...]:
        """What each row of the grid is called: its label, or its dim and index."""
        return _names(self.rows, self.shape[0])

    @property
    def column_names(self) -> tuple[str, ...]:
        """What each column of the grid is called, likewise."""
        return _names(self.columns, self.shape[1])

    @property
    def future(self) -> NDArray[np.bool_]:
        """The cells of later tokens that hold nothing, 0 or −∞, in any matrix, `[row, column]`."""
        *_, down, across = self.shape
        if (self.inner_rows.dim, self.inner_columns.dim) != ("query", "key"):
            return np.zeros((down, across), dtype=bool)
        later = np.arange(across) > np.arange(down)[:, None] + across - down
        empty = [((array == 0) | np.isneginf(array)).all(axis=0) for array in self.values]
        return np.asarray(later & np.all(empty, axis=0))

    def reduced(self, height: int, width: int) -> Panels:
        """The same with matrices of at most `height` by `width` cells; the note says how.

        Squares of cells become one, which shows the number among them that is farthest from 0: NaN
        and ∞ before all, −∞ only where there is nothing else.
        """
        _, _, down, across = self.shape
        size = max(-(-down // max(height, 1)), -(-across // max(width, 1)))
        if size == 1:
            return self
        words = (
            f"Each cell stands for up to {size} × {size} numbers and shows the one farthest from 0."
        )
        return Panels(
            self.title,
            tuple(farthest(array, size) for array in self.values),
            self.rows,
            self.columns,
            Axis(self.inner_rows.dim, _spans(down, size)),
            Axis(self.inner_columns.dim, _spans(across, size)),
            kind=self.kind,
            note=" ".join([words, *([self.note] if self.note else [])]),
        )


def farthest(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Of each `size` × `size` square of the last two dims the number that is farthest from 0."""
    *_, down, across = array.shape
    padding = ((0, 0), (0, -down % size), (0, -across % size))
    # −∞ stands for nothing: a square that overlaps the future shows what of it is allowed.
    padded = np.pad(array.astype(np.float64), padding, constant_values=-np.inf)
    n, tall, wide = padded.shape
    squares = padded.reshape(n, tall // size, size, wide // size, size).swapaxes(2, 3)
    cells = squares.reshape(n, tall // size, wide // size, size * size)
    ranks = np.nan_to_num(np.abs(cells), nan=np.inf)
    ranks[np.isneginf(cells)] = -1.0
    chosen = np.argmax(ranks, axis=-1)
    picked: NDArray[Any] = np.take_along_axis(cells, chosen[..., None], axis=-1)[..., 0]
    return picked


def _names(axis: Axis, count: int) -> tuple[str, ...]:
    if axis.labels is not None:
        return axis.labels
    return tuple(f"{axis.dim} {index}" for index in range(count))


def _spans(count: int, size: int) -> tuple[str, ...]:
    """Which indices each reduced one stands for: "0–3"."""
    starts = range(0, count, size)
    return tuple(
        f"{start}–{min(start + size, count) - 1}" if min(size, count - start) > 1 else f"{start}"
        for start in starts
    )
