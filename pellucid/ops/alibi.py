"""ALiBi: scores lowered in proportion to how far back a key is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from typing import ClassVar

from pellucid.ops.evidence import Evidence, unchanged
from pellucid.ops.figures import bracketed, figure, in_latex
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.rows import row, starts
from pellucid.ops.term import Derivation, Index, Slope


@dataclass(frozen=True, slots=True)
class Alibi(Operation):
    """`scores[h, i, j] - slope[h] · (position[i] - j)`: each head looks back so far.

    The second input has the position of each query; key `j` stands at position `j`.
    Source: Press, Smith & Lewis, "Train Short, Test Long" (2021).
    """

    kind: ClassVar[str] = "alibi"

    slopes: tuple[float, ...]
    """Of each head."""

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]} − slope[head] · ({inputs[1]}[query] − key)"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        back = rf"({inputs[1]}[\text{{query}}] - \text{{key}})"
        return rf"{inputs[0]} - \text{{slope}}[\text{{head}}] \cdot {back}"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        scores, positions = inputs
        back = positions[:, None, :, None] - starts(scores.shape[-1], 1)
        return scores - (row(self.slopes)[:, None, None] * back).astype(scores.dtype), ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        return (grad, None), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        head, query, key = cell
        scores, positions = seen.input(0), seen.input(1)
        slope = self.slopes[head]
        operands = scores.at("score", *cell), positions.at("position", query)
        at, place = (float(operand.values[0]) for operand in operands)
        said = figure(slope)
        return Derivation(
            operands=operands,
            formula=f"{scores.say(*cell)} − {said} · ({positions.say(query)} − {key})",
            latex=rf"{scores.tex(*cell)} - {in_latex(said)} \cdot ({positions.tex(query)} - {key})",
            substituted=f"{bracketed(at)} − {said} × ({figure(place)} − {key})",
            rule=lambda score, position: score[0] - slope * (position[0] - key),
            weights=lambda score, position: score,
            rounding=abs(at) + slope * abs(place - key),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        return unchanged(*cell)

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 2 * count(inputs[0], sizes)


def alibi_slopes(n_head: int) -> tuple[float, ...]:
    """The slopes of so many heads: a falling row of powers of 2.

    Where they are no power of 2, every other one of the next longer row fills up the next shorter.
    """
    whole = 1 << int(log2(n_head))
    slopes = [2 ** (-8 * i / whole) for i in range(1, whole + 1)]
    between = [2 ** (-4 * i / whole) for i in range(1, 2 * whole + 1, 2)]
    return tuple(slopes + between)[:n_head]
