"""The chain rule at one cell: what arrived at each of its readers, times how that moves with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pellucid.ops.evidence import ALL, Seen
from pellucid.ops.figures import figure, sum_of_products
from pellucid.ops.term import Derivation, Operands, Place, Slope, Summand
from pellucid.trace.terms import ARRIVING


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """One reader of a cell: the gradient of its output, and the slope of that output."""

    gradient: Operands
    slope: Slope
    said: str
    tex: str

    @classmethod
    def of(cls, gradient: Seen, slope: Slope) -> Link:
        """From the gradient of the reader's whole output, under the output's own name."""
        arriving = gradient.at(ARRIVING, *slope.index)
        if len(arriving) == 1:
            places: Sequence[Place | slice] = arriving.cell(0)
        else:
            places = [ALL if isinstance(place, np.ndarray) else place for place in slope.index]
        return cls(arriving, slope, gradient.say(*places), gradient.tex(*places))

    @property
    def formula(self) -> str:
        total = "Σ " if len(self.gradient) > 1 else ""
        local = self.slope.formula
        factor = "" if local == "1" else f" · ({local})" if " " in local else f" · {local}"
        return f"{total}∂loss/∂{self.said}{factor}"

    @property
    def latex(self) -> str:
        total = r"\sum " if len(self.gradient) > 1 else ""
        local = self.slope.latex
        factor = "" if local == "1" else rf" \cdot \left({local}\right)"
        return rf"{total}\frac{{\partial L}}{{\partial\,{self.tex}}}{factor}"

    @property
    def substituted(self) -> str:
        local = self.slope.values * self.slope.scale
        factors = [local] if self.slope.formula != "1" else []
        return sum_of_products([self.gradient.values, *factors])

    @property
    def size(self) -> float:
        """What rounding errors are measured by."""
        slope = self.slope
        sizes = np.abs(slope.values) if slope.sizes is None else slope.sizes
        return abs(slope.scale) * float(np.sum(np.abs(self.gradient.values) * sizes))


def chain_rule(links: Sequence[Link]) -> Derivation:
    """The sum over all readers of a cell."""
    if not links:
        words = "nothing on the way to the loss reads it"
        return Derivation((), words, "0", "0", rule=lambda: 0.0, rounding=0.0)
    return Derivation(
        operands=tuple(operands for link in links for operands in (link.gradient, link.slope.via)),
        formula=" + ".join(link.formula for link in links),
        latex=" + ".join(link.latex for link in links),
        substituted=" + ".join(link.substituted for link in links),
        summands=tuple(
            Summand((2 * i, 2 * i + 1), link.slope.scale) for i, link in enumerate(links)
        ),
        rounding=sum(link.size for link in links),
    )


def at_the_loss() -> Derivation:
    """Where every gradient starts."""
    return Derivation((), "by definition", "1", figure(1), rule=lambda: 1.0, rounding=0.0)
