"""Paths: what each component along the residual stream adds to one number, directly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import fsum, isnan
from typing import Any

from pellucid.showing import to_html, to_text
from pellucid.trace.explanation import spell

TOLERANCE = {"float32": 1e-4, "float64": 1e-10}
"""How far rounding may take the sum from the value, relative to the largest component."""


@dataclass(frozen=True, slots=True)
class Path:
    """What one component adds.

    `component` is how it reads, `blocks.0 head 3`; `name` the tensor or parameter whose numbers
    were added. `block` and `head` are None outside of these.
    """

    component: str
    name: str
    block: int | None
    head: int | None
    contribution: float


@dataclass(frozen=True, repr=False)
class Paths:
    """Every component of a number, or of the difference of two, the largest first.

    Attributes:
        name: the tensor.
        title: what it is.
        cell: the index along each dim; `where` reads it with its labels.
        minus: the cell that is subtracted, or None; `minus_where` reads it.
        value: as it is stored.
        components: what each component adds; they sum to `total`.
        norms: those on the way, from the number back; each with the scale that it had in the run.
        limit: how many components are shown by themselves; None for all.
        dtype: of the run.
    """

    name: str
    title: str
    cell: Mapping[str, int]
    where: str
    minus: Mapping[str, int] | None
    minus_where: str
    value: float
    components: tuple[Path, ...]
    norms: tuple[str, ...]
    limit: int | None
    dtype: str

    @cached_property
    def total(self) -> float:
        """The sum over all components."""
        return fsum(path.contribution for path in self.components)

    @property
    def error(self) -> float:
        """How far the sum is from the stored value: `total - value`."""
        return self.total - self.value

    @property
    def tolerance(self) -> float:
        """How far rounding may take it; beyond that the components are not the whole of it."""
        return TOLERANCE[self.dtype] * max(abs(path.contribution) for path in self.components)

    @property
    def rest(self) -> float:
        """What the components past `limit` add together."""
        return fsum(path.contribution for path in self.components[len(self.top()) :])

    def top(self, n: int | None = None) -> tuple[Path, ...]:
        """The n largest components; `limit` of them unless given."""
        return self.components[: self.limit if n is None else n]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, infinities and NaN spelled as words."""
        shown = self.top()
        return {
            "name": self.name,
            "title": self.title,
            "cell": dict(self.cell),
            "where": self.where,
            "minus": None if self.minus is None else dict(self.minus),
            "minus_where": self.minus_where,
            "value": spell(self.value),
            "total": spell(self.total),
            "error": spell(self.error),
            "norms": list(self.norms),
            "components": [path_dict(path) for path in shown],
            "rest": {
                "components": len(self.components) - len(shown),
                "contribution": spell(self.rest),
            },
        }

    def __repr__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        return to_html(self)


def by_size(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The largest first; what is no number before all others, so that it is seen."""
    return tuple(sorted(paths, key=size, reverse=True))


def size(path: Path) -> float:
    """What a contribution is sorted by."""
    return float("inf") if isnan(path.contribution) else abs(path.contribution)


def path_dict(path: Path) -> dict[str, Any]:
    """A path as plain data."""
    return {
        "component": path.component,
        "name": path.name,
        "block": path.block,
        "head": path.head,
        "contribution": spell(path.contribution),
    }
