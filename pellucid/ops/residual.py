"""Adding two streams: the residual connection, and token plus position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pellucid.ops.evidence import Evidence, unchanged
from pellucid.ops.figures import bracketed
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.term import Derivation, Index, Slope, Summand


@dataclass(frozen=True, slots=True)
class Add(Operation):
    """`a + b`, cell by cell."""

    kind: ClassVar[str] = "add"

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]} + {inputs[1]}"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]} + {inputs[1]}"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        a, b = inputs
        return a + b, ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        return (grad, grad), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        a, b = seen.input(0), seen.input(1)
        operands = a.at("a", *cell), b.at("b", *cell)
        return Derivation(
            operands=operands,
            formula=f"{a.say(*cell)} + {b.say(*cell)}",
            latex=f"{a.tex(*cell)} + {b.tex(*cell)}",
            substituted=" + ".join(bracketed(operand.values[0]) for operand in operands),
            summands=(Summand((0,)), Summand((1,))),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        return unchanged(*cell)

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return count(inputs[0], sizes)
