"""Two tensors multiplied cell by cell: what a gate lets through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pellucid.ops.evidence import Evidence
from pellucid.ops.figures import sum_of_products
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.term import Derivation, Index, Slope, Summand


@dataclass(frozen=True, slots=True)
class Gate(Operation):
    """`opened · x`, cell by cell.

    Source: Shazeer, "GLU Variants Improve Transformer" (2020).
    """

    kind: ClassVar[str] = "gate"
    saves: ClassVar[frozenset[str]] = frozenset({"inputs"})

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]} · {inputs[1]}, cell by cell"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return rf"{inputs[0]} \odot {inputs[1]}"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        opened, x = inputs
        return opened * x, ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        opened, x = inputs
        return (grad * x, grad * opened), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        opened, x = seen.input(0), seen.input(1)
        operands = opened.at("gate", *cell), x.at("x", *cell)
        return Derivation(
            operands=operands,
            formula=f"{opened.say(*cell)} · {x.say(*cell)}",
            latex=rf"{opened.tex(*cell)} \cdot {x.tex(*cell)}",
            substituted=sum_of_products([operand.values for operand in operands]),
            summands=(Summand((0, 1)),),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        other = seen.input(1 if operand == "input 0" else 0)
        via = other.at("local derivative", *cell)
        return Slope(cell, via, other.say(*cell), other.tex(*cell))

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return count(inputs[0], sizes)
