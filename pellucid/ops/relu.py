"""Activations that shut out what is negative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.activation import Activation
from pellucid.ops.evidence import Evidence, worked_out
from pellucid.ops.figures import figure
from pellucid.ops.operation import Array, Backward, Dims, Forward, Sizes, count
from pellucid.ops.term import Derivation, Index, Slope


@dataclass(frozen=True, slots=True)
class Relu(Activation):
    """`max(x, 0)`. At exactly 0 the derivative is taken as 0."""

    kind: ClassVar[str] = "relu"
    saves: ClassVar[frozenset[str]] = frozenset({"output"})

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        return np.maximum(inputs[0], 0), ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        assert output is not None
        # The sign of a number that is not negative is 1 where it is positive.
        return (grad * np.sign(output),), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        x = seen.input(0)
        return Derivation(
            operands=(x.at("x", *cell),),
            formula=f"max({x.say(*cell)}, 0)",
            latex=rf"\max({x.tex(*cell)},\, 0)",
            substituted=f"max({figure(x.values[cell])}, 0)",
            rule=lambda values: np.maximum(values[0], 0),
            rounding=abs(float(x.values[cell])),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        x = seen.input(0)
        passes = float(x.values[cell] > 0)
        sign = ">" if passes else "≤"
        formula = f"{figure(passes)}, as {x.say(*cell)} {sign} 0"
        via = worked_out((x.at("x", *cell),), lambda x: np.greater(x, 0).astype(np.float64))
        return Slope(cell, via, formula, rf"[{x.tex(*cell)} > 0]")

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return count(inputs[0], sizes)


@dataclass(frozen=True, slots=True)
class ReluSquared(Activation):
    """`max(x, 0)²`.

    Source: So et al., "Primer: Searching for Efficient Transformers" (2021).
    """

    kind: ClassVar[str] = "relu_squared"
    saves: ClassVar[frozenset[str]] = frozenset({"inputs"})

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        positive = np.maximum(inputs[0], 0)
        return positive * positive, ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        slope = np.maximum(inputs[0], 0)
        slope *= 2
        slope *= grad
        return (slope,), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        x = seen.input(0)
        return Derivation(
            operands=(x.at("x", *cell),),
            formula=f"max({x.say(*cell)}, 0)²",
            latex=rf"\max({x.tex(*cell)},\, 0)^2",
            substituted=f"max({figure(x.values[cell])}, 0)²",
            rule=lambda values: np.maximum(values[0], 0) ** 2,
            rounding=float(x.values[cell]) ** 2,
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        x = seen.input(0)
        via = worked_out((x.at("x", *cell),), lambda x: 2 * np.maximum(x, 0))
        return Slope(cell, via, f"2 · max({x.say(*cell)}, 0)", rf"2 \max({x.tex(*cell)},\, 0)")

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 2 * count(inputs[0], sizes)
