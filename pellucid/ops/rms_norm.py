"""RMS norm: every vector divided by its root mean square."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.evidence import ALL, Evidence
from pellucid.ops.figures import figure, in_latex, sum_of_products
from pellucid.ops.norm import Norm
from pellucid.ops.operation import Array, Backward, Dims, Forward, Sizes
from pellucid.ops.rows import as_rows, averaging
from pellucid.ops.term import Derivation, Index, Slope, Summand


@dataclass(frozen=True, slots=True)
class RmsNorm(Norm):
    """`normalized = x · rrms`, `out = normalized · gamma`, over the last dim.

    `rrms = 1 / √(mean of x² + epsilon)`.
    Source: Zhang & Sennrich, "Root Mean Square Layer Normalization" (2019).
    """

    kind: ClassVar[str] = "rms_norm"
    extras: ClassVar[Dims] = ("rrms", "normalized")
    saves: ClassVar[frozenset[str]] = frozenset({"rrms", "normalized"})
    inside: ClassVar[Mapping[str, Dims]] = {
        "rrms": ("input 0",),
        "normalized": ("input 0", "rrms"),
        "": ("normalized",),
    }

    def extra_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        return inputs[0][:-1], inputs[0]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        scaled = f"{inputs[0]} · rrms · {self.gain_in_words(parameters[0])}"
        return " + ".join([scaled, *parameters[1:]])

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        scaled = rf"{inputs[0]} \cdot \mathrm{{rrms}} \cdot {self.gain_in_words(parameters[0])}"
        return " + ".join([scaled, *parameters[1:]])

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        x = inputs[0]
        rows = as_rows(x)
        rrms = (rows * rows).dot(averaging(x.shape[-1], x.dtype))
        rrms += self.epsilon
        np.sqrt(rrms, rrms)
        np.reciprocal(rrms, rrms)
        normalized = (rows * rrms).reshape(x.shape)
        return self.gained(normalized, parameters), (rrms[:, 0].reshape(x.shape[:-1]), normalized)

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        rrms, normalized = extras[0].reshape(-1, 1), as_rows(extras[1])
        grad_x = as_rows(grad * self.gain(parameters))
        # What would move the scale of the whole vector does not get through.
        share = averaging(grad.shape[-1], grad.dtype)
        grad_x = grad_x - (grad_x * normalized).dot(share) * normalized
        grad_x *= rrms
        return (grad_x.reshape(grad.shape),), self.gradients(grad, extras[1])

    def make(self, part: str, given: Sequence[Array], parameters: Sequence[Array]) -> Array:
        x = given[0]
        if part == "":
            return self.gained(x, parameters)
        if part == "normalized":
            return x * given[1][..., None]
        square = as_rows(x * x).dot(averaging(x.shape[-1], x.dtype))[:, 0].reshape(x.shape[:-1])
        rrms: Array = np.reciprocal(np.sqrt(square + self.epsilon, dtype=x.dtype))
        return rrms

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
            return self.ungained(grad, x, parameters)
        if part == "normalized":
            return (grad * given[1][..., None], (grad * x).sum(axis=-1)), ()
        return ((grad * made**3 / -x.shape[-1])[..., None] * x,), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        if extra == "rrms":
            return explain_rrms(seen, cell, self.epsilon)
        if extra == "normalized":
            return explain_normalized(seen, cell)
        return self.explain_output(seen, cell)

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        if operand.startswith("parameter"):
            return self.parameter_slope(seen, operand, cell)
        return self.vector_slope(seen, cell, scale="rrms", centred=False)


def explain_rrms(seen: Evidence, cell: Index, epsilon: float) -> Derivation:
    """One over the root of the mean square."""
    x = seen.input(0)
    row = x.at("x", *cell, ALL)
    small = figure(epsilon)
    return Derivation(
        operands=(row,),
        formula=f"1 / √(Σ {x.say(*cell, ALL)}² / {len(row)} + {small})",
        latex=rf"\left(\frac{{1}}{{{len(row)}}} \sum {{{x.tex(*cell, ALL)}}}^2"
        rf" + {in_latex(small)}\right)^{{-1/2}}",
        substituted=f"1 / √(({sum_of_products([row.values, row.values])}) / {len(row)} + {small})",
        rule=lambda x: 1 / np.sqrt(np.mean(x**2) + epsilon),
        weights=lambda x: x**2 / len(x),
        rounding=float(seen.extra("rrms").values[cell]),
    )


def explain_normalized(seen: Evidence, cell: Index) -> Derivation:
    """A number in units of the root mean square."""
    x, rrms = seen.input(0), seen.extra("rrms")
    operands = x.at("x", *cell), rrms.at("rrms", *cell[:-1])
    return Derivation(
        operands=operands,
        formula=f"{x.say(*cell)} · {rrms.say(*cell[:-1])}",
        latex=rf"{x.tex(*cell)} \cdot {rrms.tex(*cell[:-1])}",
        substituted=sum_of_products([operand.values for operand in operands]),
        summands=(Summand((0, 1)),),
    )
