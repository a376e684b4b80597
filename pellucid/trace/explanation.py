"""Explanation: how one number was made, with its operands, down to the weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.ops.term import Derivation, Index, Operands
from pellucid.trace.showing import to_text

if TYPE_CHECKING:
    from pellucid.trace.explain import Explainer

SLACK = 32
"""How many roundings of `unit · size` a recomputed number may be away from the stored one."""


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
    """What one product adds to the value, and the terms that are multiplied.

    Where the formula is no sum of products it is the weight of one term: its exp, or its share.
    """

    value: float
    terms: tuple[Term, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """How one cell was made, or where its gradient came from.

    `formula` and `latex` are symbolic, `substituted` has the numbers put in. `recomputed` is the
    value worked out again in float64 from the stored operands.
    """

    kind: str
    """ "value" or "gradient"."""
    name: str
    index: Index
    cell: Mapping[str, int]
    where: str
    title: str
    value: float
    derivation: Derivation
    unit: float
    """The rounding unit of the trace's numbers: 2⁻²⁴ or 2⁻⁵³."""
    explainer: Explainer

    @property
    def formula(self) -> str:
        return self.derivation.formula

    @property
    def latex(self) -> str:
        return self.derivation.latex

    @property
    def substituted(self) -> str:
        return self.derivation.substituted

    @property
    def is_leaf(self) -> bool:
        """Whether this is where a run starts: a parameter, a token id, a position, or the loss."""
        return not self.derivation.operands

    @cached_property
    def recomputed(self) -> float:
        return self.derivation.recompute()

    @property
    def error(self) -> float:
        """How far `recomputed` is from `value`: see `difference`."""
        return difference(self.value, self.recomputed)

    @cached_property
    def tolerance(self) -> float:
        """How far rounding alone may have moved the value."""
        return SLACK * self.unit * self.derivation.size()

    @cached_property
    def terms(self) -> Sequence[Term]:
        """Every operand, in the formula's order; made when it is looked at."""
        return Terms(self)

    @cached_property
    def contributions(self) -> Sequence[Contribution]:
        """What each product adds, the largest first; empty where the formula is no sum."""
        return Contributions(self)

    def operands(self) -> Iterator[Explanation]:
        """The explanations one level down, in the order of the terms, each cell once."""
        return self.explainer.below(self)

    def to_dict(self, limit: int | None = None) -> dict[str, Any]:
        """Plain data for JSON, infinities and NaN spelled as words; the largest `limit` terms."""
        contributions = self.contributions[:limit]
        return {
            "kind": self.kind,
            "name": self.name,
            "cell": dict(self.cell),
            "where": self.where,
            "title": self.title,
            "value": spell(self.value),
            "recomputed": spell(self.recomputed),
            "error": spell(self.error),
            "tolerance": spell(self.tolerance),
            "formula": self.formula,
            "latex": self.latex,
            "substituted": self.substituted,
            "terms": [term_dict(term) for term in self.terms[:limit]],
            "contributions": [
                {"value": spell(c.value), "terms": [term_dict(term) for term in c.terms]}
                for c in contributions
            ],
        }

    def _repr_latex_(self) -> str:
        """The formula, for a notebook."""
        return f"$\\displaystyle {self.latex}$"

    def __repr__(self) -> str:
        return to_text(self)


class Terms(Sequence[Term]):
    """The operands of an explanation, one group after another."""

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation
        groups = explanation.derivation.operands
        self.ends = np.cumsum([len(group) for group in groups], dtype=int)

    def __len__(self) -> int:
        return int(self.ends[-1]) if len(self.ends) else 0

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        i = range(len(self))[i]
        group = int(np.searchsorted(self.ends, i, side="right"))
        operands = self.explanation.derivation.operands[group]
        return self.term(operands, i - int(self.ends[group]) + len(operands))

    def term(self, operands: Operands, i: int) -> Term:
        """The i-th operand of a group; an only one serves all."""
        i = i % len(operands)
        value = float(operands.values[i])
        if not operands.name:
            return Term(operands.role, "", {}, "", value)
        cell, where = self.explanation.explainer.place(operands.name, operands.cell(i))
        return Term(operands.role, operands.name, cell, where, value)


class Contributions(Sequence[Contribution]):
    """Products, the largest first."""

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation
        derivation = explanation.derivation
        pieces = derivation.contributions()
        # A weight belongs to the first operands alone.
        self.factors = [s.factors for s in derivation.summands] or [(0,)] * len(pieces)
        self.values = np.concatenate(pieces) if pieces else np.empty(0)
        owners = [np.full(len(piece), i) for i, piece in enumerate(pieces)]
        self.owners = np.concatenate(owners) if owners else np.empty(0, dtype=int)
        places = [np.arange(len(piece)) for piece in pieces]
        self.places = np.concatenate(places) if places else np.empty(0, dtype=int)
        self.order = np.argsort(-np.abs(self.values), kind="stable")

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        place = int(self.order[i])
        groups = self.explanation.derivation.operands
        terms = self.explanation.terms
        assert isinstance(terms, Terms)
        factors = self.factors[int(self.owners[place])]
        at = int(self.places[place])
        return Contribution(
            float(self.values[place]), tuple(terms.term(groups[f], at) for f in factors)
        )


def difference(a: float, b: float) -> float:
    """|a - b|; 0 between equal infinities, or where both are NaN."""
    if a == b or (isnan(a) and isnan(b)):
        return 0.0
    return abs(a - b)


def term_dict(term: Term) -> dict[str, Any]:
    """A term as plain data."""
    return {
        "role": term.role,
        "name": term.name,
        "cell": dict(term.cell),
        "where": term.where,
        "value": spell(term.value),
    }


def spell(value: float) -> float | str:
    """A number as JSON can hold it: infinities and NaN as words."""
    if isnan(value):
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value
