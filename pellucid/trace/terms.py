"""What an explanation is made of: its operands one by one, and what each product adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.ops.term import Array, Derivation, Summand, largest_first

if TYPE_CHECKING:
    from pellucid.trace.explain import Explainer

ARRIVING = "arriving gradient"
"""The role of gradients in the chain rule: they are explained as gradients, not as values."""
FIRST = Summand((0,))
"""A weight belongs to the first operands alone."""


def kind_of(role: str) -> str:
    """What an operand in this role is of its tensor's cell: its "value" or its "gradient"."""
    return "gradient" if role == ARRIVING else "value"


@dataclass(frozen=True, slots=True)
class Term:
    """One operand: the cell of a tensor, in the role that it plays in the formula.

    `cell` gives the index along each dim, `where` reads it with its labels. A local derivative that
    is no tensor's cell has no name and an empty cell.
    """

    role: str
    name: str
    cell: Mapping[str, int]
    where: str
    value: float


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one product adds to the value: the terms that are multiplied, times `scale`.

    Where the formula is no sum of products it is the weight of one term: its exp, or its share.
    `share` is its part of all contributions, each taken by its size whatever its sign.
    """

    value: float
    terms: tuple[Term, ...]
    scale: float
    share: float


class Terms(Sequence[Term]):
    """The operands of a derivation, one group after another; made when they are looked at."""

    def __init__(self, derivation: Derivation, explainer: Explainer) -> None:
        self.groups = derivation.operands
        self.explainer = explainer
        self.ends = np.cumsum([len(group) for group in self.groups], dtype=int)

    def __len__(self) -> int:
        return int(self.ends[-1]) if len(self.ends) else 0

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        i = range(len(self))[i]
        group = int(np.searchsorted(self.ends, i, side="right"))
        return self.term(group, i - self.start(group))

    def start(self, group: int) -> int:
        """Where a group's terms begin."""
        return int(self.ends[group]) - len(self.groups[group])

    def term(self, group: int, i: int) -> Term:
        """The i-th operand of a group."""
        operands = self.groups[group]
        value = float(operands.values[i])
        if not operands.name:
            return Term(operands.role, "", {}, "", value)
        cell, where = self.explainer.place(operands.name, operands.cell(i))
        return Term(operands.role, operands.name, cell, where, value)


class Contributions(Sequence[Contribution]):
    """What each product adds, the largest first; empty where the formula is no sum."""

    def __init__(self, derivation: Derivation, terms: Terms) -> None:
        self.terms = terms
        pieces = derivation.contributions()
        self.summands = derivation.summands or (FIRST,) * len(pieces)
        self.values: Array = np.concatenate([*pieces, np.empty(0)])
        self.owners = np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces])
        self.places = np.concatenate([np.arange(len(p)) for p in pieces] or [self.owners])
        self.order = largest_first(self.values)
        self.size = float(np.abs(self.values).sum())

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        value = float(self.values[self.order[i]])
        terms = tuple(self.terms.term(group, at) for group, at in self.factors(i))
        scale = self.summands[int(self.owners[self.order[i]])].scale
        return Contribution(value, terms, scale, self.share(abs(value)))

    def factors(self, i: int) -> Iterator[tuple[int, int]]:
        """The group and the place in it of each term of the i-th; an only one serves all."""
        owner, at = (int(of[self.order[i]]) for of in (self.owners, self.places))
        for group in self.summands[owner].factors:
            yield group, at % len(self.terms.groups[group])

    @property
    def total(self) -> float:
        """What all of them add up to."""
        return float(self.values.sum())

    def rest(self, shown: int) -> Contribution:
        """Those after the first `shown`, as one."""
        left = self.values[self.order[shown:]]
        return Contribution(float(left.sum()), (), 1.0, self.share(float(np.abs(left).sum())))

    def share(self, size: float) -> float:
        """A part of the sizes of all; of nothing it is 0."""
        return size / self.size if self.size else 0.0
