"""Explanation: how one number was made, with its operands, down to the weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any

from pellucid.ops.figures import figure, in_latex
from pellucid.ops.term import Derivation, Index
from pellucid.showing import to_html, to_text
from pellucid.trace.terms import Contribution, Contributions, Term, Terms

if TYPE_CHECKING:
    from pellucid.trace.explain import Explainer
    from pellucid.trace.trace import Trace

Key = tuple[str, str, Index]

SLACK = 32
"""How many roundings of `unit · size` a recomputed number may be away from the stored one."""


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
    smallest: float
    """The least number that has all its digits, 2⁻¹²⁶ or 2⁻¹⁰²²; below it fewer and fewer stay."""
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
    def latex_substituted(self) -> str:
        return in_latex(self.derivation.substituted)

    def latex_cell(self, scope: str = "") -> str:
        """The cell, or its gradient, in LaTeX, by its name as it reads within a scope."""
        name = self.explainer.seen(self.name, scope).tex(*self.index)
        return name if self.kind == "value" else rf"\frac{{\partial L}}{{\partial\,{name}}}"

    @property
    def key(self) -> Key:
        """What tells this explanation from all others of its trace."""
        return self.kind, self.name, self.index

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
        """How far rounding alone may have moved the value; 0 where nothing is a number."""
        size = self.derivation.size() + self.smallest
        return 0.0 if isnan(size) else SLACK * self.unit * size

    @cached_property
    def terms(self) -> Terms:
        """Every operand, in the formula's order; made when it is looked at."""
        return Terms(self.derivation, self.explainer)

    @cached_property
    def contributions(self) -> Contributions:
        """What each product adds, the largest first; empty where the formula is no sum."""
        return Contributions(self.derivation, self.terms)

    def operands(self, largest: int | None = None) -> Iterator[Explanation]:
        """The explanations one level down, each cell once, in the order of the terms.

        A local derivative that is no tensor's cell leads on to the cells that it is made of. With
        `largest`, those of so many of the largest contributions and those alone in their role.
        """
        return self.explainer.below(self, largest)

    def from_leaves(self) -> float:
        """The value worked out in float64 from token ids and parameters alone.

        Follows every operand down to where the run started, and works upwards from there: the
        stored numbers in between are not looked at. Thousands of cells for a toy, and beyond
        patience for a large model.
        """
        from pellucid.trace.leaves import work_out

        return work_out(self)

    def to_dict(self, limit: int | None = None) -> dict[str, Any]:
        """Plain data for JSON, infinities and NaN spelled as words.

        With a limit: so many of the largest contributions with their terms, the terms alone in
        their role, and the rest as one.
        """
        shown = self.contributions[:limit]
        terms = [self.terms.term(group, i) for group, i in sorted(self.weightiest(limit))]
        rest = self.contributions.rest(len(shown))
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
            "latex_substituted": self.latex_substituted,
            "terms": [term_dict(term) for term in terms],
            "more_terms": len(self.terms) - len(terms),
            "contributions": [contribution_dict(each) for each in shown],
            "more_contributions": len(self.contributions) - len(shown),
            "rest": {"value": spell(rest.value), "share": spell(rest.share)},
        }

    def weightiest(self, largest: int | None) -> list[tuple[int, int]]:
        """The terms of the largest contributions, then those alone in their role.

        Each as its group and its place in the group.
        """
        groups = self.derivation.operands
        if largest is None:
            return [(g, i) for g, group in enumerate(groups) for i in range(len(group))]
        shown = range(len(self.contributions))[:largest]
        among = [factor for i in shown for factor in self.contributions.factors(i)]
        alone = [(g, 0) for g, group in enumerate(groups) if len(group) == 1]
        return list(dict.fromkeys([*among, *alone]))

    def _repr_latex_(self) -> str:
        """The formula, symbolic and with numbers, for a notebook."""
        value = in_latex(figure(self.value))
        steps = [self.latex_cell(), self.latex, self.latex_substituted, value]
        return f"$\\displaystyle {' = '.join(dict.fromkeys(steps))}$"

    def __reduce__(self) -> tuple[Any, ...]:
        """What pickle and copy make a copy from: the trace, and which number it is."""
        return follow, (self.explainer.trace, self.key)

    def __repr__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        return to_html(self)


def follow(trace: Trace, key: Key) -> Explanation:
    """The explanation of one number of a trace."""
    return trace.explainer.follow(*key)


def difference(a: float, b: float) -> float:
    """|a - b|; 0 between equal infinities, or where both are NaN."""
    if a == b or (isnan(a) and isnan(b)):
        return 0.0
    return abs(a - b)


def contribution_dict(contribution: Contribution) -> dict[str, Any]:
    """A contribution as plain data."""
    return {
        "value": spell(contribution.value),
        "scale": contribution.scale,
        "share": spell(contribution.share),
        "terms": [term_dict(term) for term in contribution.terms],
    }


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
