"""Looking a row up in a table, by token id or by position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from pellucid.ops.evidence import Evidence, unchanged
from pellucid.ops.figures import figure
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes
from pellucid.ops.term import Derivation, Index, Slope, Summand

SMALL_TABLE = 128
"""Up to this many rows a product with one-hot rows adds gradients up faster than sorting them."""


@dataclass(frozen=True, slots=True)
class Embedding(Operation):
    """`out[t, j] = table[index[t], j]`."""

    kind: ClassVar[str] = "embedding"
    saves: ClassVar[frozenset[str]] = frozenset({"inputs"})

    table: str
    rows: str
    """The dim that the table's rows stand for: `vocab`, or `position`."""
    to: str = "d_model"

    @property
    def parameters(self) -> tuple[str, ...]:
        return (self.table,)

    def parameter_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        return ((self.rows, self.to),)

    def dims(self, *inputs: Dims) -> Dims:
        return (*inputs[0], self.to)

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{parameters[0]}[{inputs[0]}]"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{parameters[0]}[{inputs[0]}]"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        return parameters[0].take(inputs[0], axis=0), ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        index, table = inputs[0].ravel(), parameters[0]
        return (None,), (sum_rows(grad.reshape(index.size, -1), index, len(table)),)

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        place, column = cell
        index, table = seen.input(0), seen.parameter(0)
        row = int(index.values[place])
        return Derivation(
            operands=(table.at("row", row, column), index.at("index", place)),
            formula=table.say(row, column),
            latex=table.tex(row, column),
            substituted=figure(table.values[row, column]),
            summands=(Summand((0,)),),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        row, column = cell
        places = np.flatnonzero(seen.input(0).values == row)
        return unchanged(places, column)

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 0


def sum_rows(rows: Array, index: Array, size: int) -> Array:
    """Add up the rows that share an index: `out[i] = Σ rows[t] where index[t] = i`.

    Args:
        rows: `[row, d_model]`.
        index: `[row]`, each from 0 to `size` - 1.
        size: how many rows the result has.

    Returns:
        `[size, d_model]`, zero where no row came.
    """
    if size <= SMALL_TABLE:
        sums: Array = np.equal(column(size), index).astype(rows.dtype).dot(rows)
        return sums
    out = np.zeros((size, rows.shape[1]), dtype=rows.dtype)
    order = np.argsort(index, kind="stable")
    present, starts = np.unique(index[order], return_index=True)
    out[present] = np.add.reduceat(rows[order], starts, axis=0)
    return out


@lru_cache(maxsize=16)
def column(size: int) -> Array:
    """The whole numbers from 0, `[size, 1]`."""
    numbers = np.arange(size)[:, None]
    numbers.flags.writeable = False
    return numbers
