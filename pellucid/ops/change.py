"""A change: what an edit makes of some cells of a tensor. Everything else is handed on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.cells import Cells, chosen, look_up
from pellucid.ops.edited import Edited
from pellucid.ops.evidence import Evidence, as_text, constants, copied, unchanged
from pellucid.ops.figures import bracketed, figure, in_latex
from pellucid.ops.operation import Array, Backward, Forward
from pellucid.ops.term import Derivation, Index, Slope


@dataclass(frozen=True, slots=True, eq=False)
class Change(Edited):
    """In the chosen cells `x` becomes `factor · x + shift`; elsewhere it stays.

    With a factor of 0 the shift takes the place of whatever was there. Else −∞, which stands for
    what is shut out, stays −∞. `shift` is None or has a number for each chosen cell: see
    `cells.look_up`. After the tensor come the inputs of a run that `reads` names.
    """

    kind: ClassVar[str] = "change"
    saves: ClassVar[frozenset[str]] = frozenset({"inputs"})

    cells: Cells
    factor: float
    shift: Array | None
    words: str
    place: str = ""

    @property
    def reads(self) -> tuple[str, ...]:
        """What it reads beside the tensor, by the names of a graph's inputs."""
        return self.cells.reads

    def where(self, shape: Sequence[int], given: Sequence[Array]) -> tuple[Array, Array | None]:
        """Which cells are chosen, and what is added there; both spread over the tensor."""
        ranks = self.cells.ranks(shape, dict(zip(self.reads, given, strict=True)))
        return chosen(ranks), None if self.shift is None else look_up(self.shift, ranks)

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        x, *given = inputs
        here, shift = self.where(x.shape, given)
        return np.where(here, self.made(x, shift), x), ()

    def made(self, x: Array, shift: Array | None) -> Array:
        """What becomes of numbers that are chosen; spreads over them."""
        if self.factor == 0:
            return np.asarray(0 if shift is None else shift, dtype=x.dtype)
        # Added to or multiplied where it changes nothing, a −0 would turn into 0.
        out = x if self.factor == 1 else x * x.dtype.type(self.factor)
        if shift is not None:
            out = np.where(shift == 0, out, out + shift.astype(x.dtype))
        return np.where(x == -np.inf, x, out)

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        x, *given = inputs
        here, _ = self.where(x.shape, given)
        moves = here if self.factor == 0 else here & (x != -np.inf)
        scaled = np.where(moves, grad * grad.dtype.type(self.factor), grad)
        return (scaled, *(None for _ in given)), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        x = seen.input(0)
        if not self.cells.holds(cell, seen):
            return copied(x, cell, ", not edited here")
        was, shift = x.at("before the edit", *cell), self.shift_of(cell)
        before, now = float(was.values[0]), float(seen.output.values[cell])
        shut = now == -np.inf
        said = self.said_of(before, now)
        return Derivation(
            operands=(was,),
            formula=said,
            latex=as_text(said),
            substituted=self.put_in(before, shift),
            rule=lambda was: float(np.sum(self.made(was, shift))),
            rounding=0.0 if shut else abs(before * self.factor) + abs(float(shift or 0.0)),
        )

    def put_in(self, before: float, shift: Array | None) -> str:
        """The change with its numbers."""
        if self.factor == 0:
            return figure(0.0 if shift is None else float(shift))
        if before == -np.inf:
            return "−∞"
        scaled = f"{figure(before)} × {bracketed(self.factor)}"
        first = figure(before) if self.factor == 1 else scaled
        return first if shift is None else f"{first} + {bracketed(float(shift))}"

    def shift_of(self, cell: Index) -> Array | None:
        """What is added in one of the chosen cells."""
        if self.shift is None:
            return None
        ranks = [
            place if places is None else int(np.flatnonzero(places == place)[0])
            for place, places in zip(cell, self.cells.places, strict=True)
        ]
        sizes = self.shift.shape
        place = tuple(min(rank, size - 1) for rank, size in zip(ranks, sizes, strict=True))
        return np.asarray(self.shift[place])

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        if not self.cells.holds(cell, seen):
            return unchanged(*cell)
        if self.factor == 0:
            return Slope(cell, constants(0.0), "0: edited, whatever it was", "0")
        if seen.input(0).values[cell] == -np.inf:
            return unchanged(*cell)
        number = figure(self.factor)
        return Slope(cell, constants(self.factor), number, in_latex(number))
