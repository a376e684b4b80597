"""A soft cap: numbers bent so that none is larger than the cap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.evidence import Evidence, worked_out
from pellucid.ops.figures import figure, in_latex
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.term import Derivation, Index, Slope


@dataclass(frozen=True, slots=True)
class SoftCap(Operation):
    """`cap · tanh(x / cap)`: nearly `x` where it is small, never larger than `cap`.

    Source: Gemma Team, "Gemma 2: Improving Open Language Models at a Practical Size" (2024).
    """

    kind: ClassVar[str] = "soft_cap"
    saves: ClassVar[frozenset[str]] = frozenset({"output"})

    cap: float

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{figure(self.cap)} · tanh({inputs[0]} / {figure(self.cap)})"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        cap = in_latex(figure(self.cap))
        return rf"{cap} \cdot \tanh({inputs[0]} / {cap})"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        capped: Array = np.tanh(inputs[0] / self.cap)
        capped *= self.cap
        return capped, ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        assert output is not None
        share = output / self.cap
        return (grad * (1 - share * share),), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        x, cap = seen.input(0), figure(self.cap)
        tex = in_latex(cap)
        return Derivation(
            operands=(x.at("x", *cell),),
            formula=f"{cap} · tanh({x.say(*cell)} / {cap})",
            latex=rf"{tex} \cdot \tanh({x.tex(*cell)} / {tex})",
            substituted=f"{cap} × tanh({figure(x.values[cell])} / {cap})",
            rule=lambda values: self.cap * np.tanh(values[0] / self.cap),
            rounding=self.cap + abs(float(x.values[cell])),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        out, cap = seen.output, figure(self.cap)
        return Slope(
            cell,
            worked_out((out.at("capped", *cell),), lambda y: 1 - (y / self.cap) ** 2),
            f"1 − ({out.say(*cell)} / {cap})²",
            rf"1 - ({out.tex(*cell)} / {in_latex(cap)})^2",
            sizes=np.ones(1),
        )

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 3 * count(inputs[0], sizes)
