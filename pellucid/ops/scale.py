"""Every number of a tensor multiplied by the same one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pellucid.ops.evidence import Evidence, constants
from pellucid.ops.figures import bracketed, figure, in_latex
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.term import Derivation, Index, Slope, Summand


@dataclass(frozen=True, slots=True)
class Scale(Operation):
    """`x · factor`."""

    kind: ClassVar[str] = "scale"

    factor: float

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]} · {figure(self.factor)}"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return rf"{inputs[0]} \cdot {in_latex(figure(self.factor))}"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        return inputs[0] * self.factor, ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        return (grad * self.factor,), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        x, factor = seen.input(0), figure(self.factor)
        return Derivation(
            operands=(x.at("x", *cell),),
            formula=f"{x.say(*cell)} · {factor}",
            latex=rf"{x.tex(*cell)} \cdot {in_latex(factor)}",
            substituted=f"{bracketed(x.values[cell])} × {factor}",
            summands=(Summand((0,), self.factor),),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        factor = figure(self.factor)
        return Slope(cell, constants(self.factor), factor, in_latex(factor))

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return count(inputs[0], sizes)
