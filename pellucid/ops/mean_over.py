"""Cells that become the mean of several: what an edit makes of them to take away what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.cells import OF_QUERIES, Cells, chosen, spread
from pellucid.ops.edited import Edited
from pellucid.ops.evidence import Evidence, as_text, constants, copied, unchanged
from pellucid.ops.figures import sum_of_products
from pellucid.ops.operation import Array, Backward, Forward
from pellucid.ops.term import Derivation, Index, Place, Slope, Summand


@dataclass(frozen=True, slots=True, eq=False)
class MeanOver(Edited):
    """Each chosen cell becomes the mean of those that are chosen along one dim, its own among them.

    After the tensor come the inputs of a run that `reads` names. What is padding has no part in a
    mean over positions.
    """

    kind: ClassVar[str] = "mean_over"

    cells: Cells
    over: str
    words: str
    place: str = ""

    @property
    def axis(self) -> int:
        """Along which axis of `[batch, *dims]` the mean is taken."""
        return 1 + self.cells.dims.index(self.over)

    @property
    def along_the_text(self) -> bool:
        """Whether it is a mean of several positions."""
        return self.over in (*OF_QUERIES, "key")

    @property
    def joins_positions(self) -> bool:  # type: ignore[override]  # Known of each by itself.
        """Whether positions have a part in each other's means."""
        return self.over in OF_QUERIES

    @property
    def reads(self) -> tuple[str, ...]:
        """What it reads beside the tensor, by the names of a graph's inputs."""
        return (*self.cells.reads, "lengths") if self.along_the_text else self.cells.reads

    def where(self, shape: Sequence[int], given: Sequence[Array]) -> tuple[Array, Array]:
        """Which cells are chosen, and with what weight each enters a mean; both spread over all."""
        known = dict(zip(self.reads, given, strict=True))
        ranks = self.cells.ranks(shape, known)
        among = ranks[self.axis] >= 0
        if self.along_the_text:
            of_each = self.over in OF_QUERIES
            places = known["positions"] if of_each else np.arange(shape[self.axis])
            lengths = known["lengths"].reshape(-1, *(1,) * (len(shape) - 1))
            among = among & (spread(places, self.axis, len(shape), batch=of_each) < lengths)
        weights = among / np.maximum(among.sum(axis=self.axis, keepdims=True), 1)
        return chosen(ranks) & among, weights

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        x, *given = inputs
        here, weights = self.where(x.shape, given)
        shares = np.where(weights > 0, x, 0) * weights.astype(x.dtype)
        return np.where(here, shares.sum(axis=self.axis, keepdims=True), x), ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        _, *given = inputs
        here, weights = self.where(grad.shape, given)
        to_mean = np.where(here, grad, 0).sum(axis=self.axis, keepdims=True)
        to_x = np.where(here, to_mean * weights.astype(grad.dtype), grad)
        return (to_x, *(None for _ in given)), ()

    def averaged(self, cell: Index, size: int) -> tuple[Place, ...]:
        """The cells whose mean a chosen cell is."""
        places = self.cells.places[self.axis - 1]
        along = np.arange(size) if places is None else np.sort(places)
        return (*cell[: self.axis - 1], along, *cell[self.axis :])

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        x = seen.input(0)
        if not self.cells.holds(cell, seen):
            return copied(x, cell, ", not edited here")
        row = x.at("averaged", *self.averaged(cell, x.values.shape[self.axis - 1]))
        before, now = float(x.values[cell]), float(seen.output.values[cell])
        said = self.said_of(before, now)
        return Derivation(
            operands=(row,),
            formula=said,
            latex=as_text(said),
            substituted=f"({sum_of_products([row.values])}) / {len(row)}",
            summands=(Summand((0,), 1 / len(row)),),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        if not self.cells.holds(cell, seen):
            return unchanged(*cell)
        places = self.averaged(cell, seen.input(0).values.shape[self.axis - 1])
        n = len(np.atleast_1d(places[self.axis - 1]))
        return Slope(places, constants(1 / n, n), f"1 / {n}", rf"\frac{{1}}{{{n}}}")
