"""How one number was made, as data: its operands, their roles, and what each contributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Index = tuple[int, ...]
Place = int | Array

LONG = 4096
"""From so many numbers on the order of equal ones is left open."""


@dataclass(frozen=True, slots=True, eq=False)
class Operands:
    """Cells of one tensor in one role: as many as there are `values`, `[operand]`.

    `index` has for each dim one place for all, or an array with a place for each. Numbers that are
    no tensor's cells have no name and no index: `rule` makes them from the values of `sources`, and
    without it they are constants.
    """

    role: str
    name: str
    index: tuple[Place, ...]
    values: Array
    sources: tuple[Operands, ...] = ()
    rule: Callable[..., Array] | None = None

    def __len__(self) -> int:
        return len(self.values)

    def cell(self, i: int) -> Index:
        """The index of the i-th of them."""
        return tuple(int(p) if np.ndim(p) == 0 else int(p[i]) for p in self.index)  # type: ignore[index]

    @property
    def cells(self) -> Iterator[tuple[str, Index]]:
        """Every cell that these numbers are, or are made of: its tensor's name and its index."""
        if self.name:
            yield from ((self.name, self.cell(i)) for i in range(len(self)))
        for source in self.sources:
            yield from source.cells

    def cells_of(self, i: int) -> Iterator[tuple[str, Index]]:
        """The cell that the i-th is, or the single cells that it is made of."""
        if self.name:
            yield self.name, self.cell(i)
        yield from ((s.name, s.cell(0)) for s in self.sources if len(s) == 1)

    @property
    def number_of_cells(self) -> int:
        """How many `cells` there are."""
        own = len(self) if self.name else 0
        return own + sum(source.number_of_cells for source in self.sources)


@dataclass(frozen=True, slots=True)
class Summand:
    """Products to be added up: the places of the operands that are multiplied, and a number."""

    factors: tuple[int, ...]
    scale: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Derivation:
    """How an operation made one cell.

    Where `rule` is None the value is the sum of the summands' products; else `rule` gives it from
    the operands' values, in their order. `weights` gives what each of the first operands weighs
    where that is no product: a share of a sum of exp, say.

    `formula` and `latex` are symbolic; `substituted` holds the numbers put in. `rounding` is the
    size that errors of rounding are measured by; the sum of the absolute products unless given.
    """

    operands: tuple[Operands, ...]
    formula: str
    latex: str
    substituted: str
    summands: tuple[Summand, ...] = ()
    rule: Callable[..., float] | None = None
    weights: Callable[..., Array] | None = None
    rounding: float | None = None

    def recompute(self, values: tuple[Array, ...] | None = None) -> float:
        """The value in float64, from the operands as they were or from `values` in their place."""
        given = [
            np.asarray(v, dtype=np.float64)
            for v in (values or tuple(operands.values for operands in self.operands))
        ]
        with np.errstate(all="ignore"):
            if self.rule is not None:
                return float(self.rule(*given))
            return float(sum(np.sum(products(summand, given)) for summand in self.summands))

    def contributions(self) -> tuple[Array, ...]:
        """What each product adds, an array for each summand; or the first operands' weights."""
        given = [operands.values.astype(np.float64) for operands in self.operands]
        with np.errstate(all="ignore"):
            if self.weights is not None:
                return (self.weights(*given),)
            return tuple(products(summand, given) for summand in self.summands)

    def size(self) -> float:
        """What rounding errors are measured by."""
        if self.rounding is not None:
            # Negative where a statistic was edited that is positive by itself.
            return abs(self.rounding)
        return float(sum(np.abs(c[np.isfinite(c)]).sum() for c in self.contributions()))


@dataclass(frozen=True, slots=True, eq=False)
class Slope:
    """How the cells of an output move with one cell of an operand.

    `index` says which cells of the output, `scale` times the values of `via` `[cell]` how much each
    moves, `formula` and `latex` in what way. `sizes` measure rounding errors of these values; their
    absolute values unless given.
    """

    index: tuple[Place, ...]
    via: Operands
    formula: str
    latex: str
    scale: float = 1.0
    sizes: Array | None = None

    @property
    def values(self) -> Array:
        return self.via.values


def products(summand: Summand, values: list[Array]) -> Array:
    """The products of a summand, `[operand]`, in float64."""
    out: Array = np.asarray(
        prod((values[i] for i in summand.factors[1:]), start=values[summand.factors[0]])
    )
    return out * summand.scale


def reach(numbers: Array) -> float:
    """The largest of the finite numbers, whatever their sign; rounding before exp grows with it."""
    return float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0))


def largest_first(numbers: Array) -> Array:
    """The places of numbers, those of the largest sizes first; equals stay in order in a short row.

    In a long one they need not: NumPy sorts five times as fast without it.
    """
    sizes = -np.abs(numbers)
    places: Array = np.argsort(sizes, kind="stable" if len(sizes) < LONG else None)
    return places
