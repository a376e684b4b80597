"""Activations that let a share of each number through: what GELU and SiLU have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from pellucid.ops.activation import Activation
from pellucid.ops.evidence import Evidence, worked_out
from pellucid.ops.figures import figure, sum_of_products
from pellucid.ops.operation import Array, Backward, Dims, Forward, Sizes, count
from pellucid.ops.term import Derivation, Index, Slope, Summand


class SmoothGate(Activation):
    """`x · share(x)`: each number times the share of a distribution that lies below it.

    The share is kept, as the one extra that there is. `letter` is how it reads in a formula.
    """

    letter: ClassVar[str]
    letter_in_latex: ClassVar[str]

    def extra_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        return (inputs[0],)

    @abstractmethod
    def share(self, x: Array) -> Array:
        """What lies below `x`, of `x`'s shape."""

    @abstractmethod
    def density(self, x: Array, share: Array) -> Array:
        """The derivative of the share at `x`, of `x`'s shape."""

    def argument(self, x: str) -> str:
        """What the share is of, in words and in LaTeX."""
        return x

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        share = self.share(inputs[0])
        return inputs[0] * share, (share,)

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        x, share = inputs[0], extras[0]
        slope = self.density(x, share)
        slope *= x
        slope += share
        slope *= grad
        return (slope,), ()

    def make(self, part: str, given: Sequence[Array], parameters: Sequence[Array]) -> Array:
        return given[0] * given[1] if part == "" else self.share(given[0])

    def unmake(
        self,
        part: str,
        grad: Array,
        given: Sequence[Array],
        parameters: Sequence[Array],
        made: Array,
    ) -> Backward:
        x = given[0]
        if part == "":
            return (grad * given[1], grad * x), ()
        return (grad * self.density(x, made),), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        x = seen.input(0)
        at = x.at("x", *cell)
        below = rf"{self.letter_in_latex}({self.argument(x.tex(*cell))})"
        if extra is not None:
            return Derivation(
                operands=(at,),
                formula=f"{self.letter}({self.argument(x.say(*cell))})",
                latex=below,
                substituted=f"{self.letter}({self.argument(figure(at.values[0]))})",
                rule=lambda values: self.share(values)[0],
                rounding=1 + abs(float(at.values[0])),
            )
        shares = seen.extra(self.extras[0])
        share = shares.at("share", *cell)
        return Derivation(
            operands=(at, share),
            formula=f"{x.say(*cell)} · {shares.say(*cell)}",
            latex=rf"{x.tex(*cell)} \cdot {below}",
            substituted=sum_of_products([at.values, share.values]),
            summands=(Summand((0, 1)),),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        x = seen.input(0)
        sources = x.at("x", *cell), seen.extra(self.extras[0]).at("share", *cell)
        at, share = (source.values.astype(np.float64) for source in sources)
        return Slope(
            cell,
            worked_out(sources, lambda x, share: share + x * self.density(x, share)),
            f"{self.letter} + {x.say(*cell)} · {self.letter}′",
            rf"{self.letter_in_latex} + {x.tex(*cell)} \cdot {self.letter_in_latex}'",
            sizes=(share + np.abs(at * self.density(at, share))) * (1 + np.abs(at)),
        )

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 8 * count(inputs[0], sizes)
