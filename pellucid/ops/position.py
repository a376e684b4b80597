"""Positions that are computed rather than learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.evidence import Evidence
from pellucid.ops.figures import figure, in_latex
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.term import Derivation, Index, Slope

LONGEST_WAVE = 10_000.0


@dataclass(frozen=True, slots=True)
class Sinusoidal(Operation):
    """Waves of falling frequency: `out[p, 2i] = sin(p / 10000^(2i/d))`, `out[p, 2i+1] = cos(…)`.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.5.
    """

    kind: ClassVar[str] = "sinusoidal"
    reads_numbers: ClassVar[bool] = False

    width: int
    """`d_model`."""
    to: str = "d_model"

    def dims(self, *inputs: Dims) -> Dims:
        return (*inputs[0], self.to)

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"sin, cos({inputs[0]} / 10000^(2i/{self.width}))"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        angle = rf"\frac{{{inputs[0]}}}{{10000^{{2i/{self.width}}}}}"
        return rf"\sin, \cos\left({angle}\right)"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        angle = inputs[0][..., None] * self.frequencies()
        out = np.where(np.arange(self.width) % 2 == 0, np.sin(angle), np.cos(angle))
        return out, ()

    def frequencies(self) -> Array:
        """Radians per position of each column, `[d_model]`; a sine and a cosine share one."""
        even = np.arange(self.width) // 2 * 2
        return LONGEST_WAVE ** (-even / self.width)

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        return (None,), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        place, column = cell
        positions = seen.input(0)
        wave, turn = ("sin", np.sin) if column % 2 == 0 else ("cos", np.cos)
        frequency = float(self.frequencies()[column])
        at, turns = float(positions.values[place]), figure(frequency)
        return Derivation(
            operands=(positions.at("position", place),),
            formula=f"{wave}({positions.say(place)} × {turns})",
            latex=rf"\{wave}({positions.tex(place)} \cdot {in_latex(turns)})",
            substituted=f"{wave}({figure(at)} × {turns})",
            rule=lambda p: turn(p[0] * frequency),
            rounding=1.0 + at,
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        raise NotImplementedError("A position is a whole number: nothing moves with it.")

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 2 * count(self.dims(*inputs), sizes)
