"""Layer norm: every vector centred, and divided by its deviation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.evidence import ALL, Evidence
from pellucid.ops.figures import bracketed, figure, in_latex, sum_of_products
from pellucid.ops.norm import Norm
from pellucid.ops.operation import Array, Backward, Dims, Forward, Sizes
from pellucid.ops.rows import as_rows, averaging
from pellucid.ops.term import Derivation, Index, Slope, Summand


@dataclass(frozen=True, slots=True)
class LayerNorm(Norm):
    """`normalized = (x - mean) · rstd`, `out = normalized · gamma + beta`, over the last dim.

    `rstd = 1 / √(variance + epsilon)`, the variance being the mean square of `x - mean`.
    Source: Ba, Kiros & Hinton, "Layer Normalization" (2016).
    """

    kind: ClassVar[str] = "layer_norm"
    extras: ClassVar[Dims] = ("mean", "rstd", "normalized")
    saves: ClassVar[frozenset[str]] = frozenset({"rstd", "normalized"})
    inside: ClassVar[Mapping[str, Dims]] = {
        "mean": ("input 0",),
        "rstd": ("input 0", "mean"),
        "normalized": ("input 0", "mean", "rstd"),
        "": ("normalized",),
    }

    def extra_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        return inputs[0][:-1], inputs[0][:-1], inputs[0]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        scaled = f"({inputs[0]} - mean) · rstd · {self.gain_in_words(parameters[0])}"
        return " + ".join([scaled, *parameters[1:]])

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        centred = rf"({inputs[0]} - \mathrm{{mean}}) \cdot \mathrm{{rstd}}"
        return " + ".join(
            [rf"{centred} \cdot {self.gain_in_words(parameters[0])}", *parameters[1:]]
        )

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        x = inputs[0]
        rows = as_rows(x)
        share = averaging(x.shape[-1], x.dtype)
        mean = rows.dot(share)
        normalized = rows - mean
        rstd = (normalized * normalized).dot(share)
        rstd += self.epsilon
        np.sqrt(rstd, rstd)
        np.reciprocal(rstd, rstd)
        normalized *= rstd
        shape, places = x.shape, x.shape[:-1]
        whole = normalized.reshape(shape)
        return self.gained(whole, parameters), (
            mean[:, 0].reshape(places),
            rstd[:, 0].reshape(places),
            whole,
        )

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        normalized = as_rows(extras[2])
        share = averaging(grad.shape[-1], grad.dtype)
        to_normalized = as_rows(grad * self.gain(parameters))
        # What would move the mean or the scale of the whole vector does not get through.
        scaling = (to_normalized * normalized).dot(share) * normalized
        grad_x = to_normalized - to_normalized.dot(share)
        grad_x -= scaling
        grad_x *= extras[1].reshape(-1, 1)
        return (grad_x.reshape(grad.shape),), self.gradients(grad, extras[2])

    def make(self, part: str, given: Sequence[Array], parameters: Sequence[Array]) -> Array:
        x, *statistics = given
        share = averaging(x.shape[-1], x.dtype)
        if part == "":
            return self.gained(x, parameters)
        numbers = x if part == "mean" else x - statistics[0][..., None]
        if part == "normalized":
            return numbers * statistics[1][..., None]
        if part == "rstd":
            numbers = numbers * numbers
        made: Array = as_rows(numbers).dot(share)[:, 0].reshape(x.shape[:-1])
        if part == "mean":
            return made
        return np.reciprocal(np.sqrt(made + self.epsilon, dtype=x.dtype), dtype=x.dtype)

    def unmake(
        self,
        part: str,
        grad: Array,
        given: Sequence[Array],
        parameters: Sequence[Array],
        made: Array,
    ) -> Backward:
        x, *statistics = given
        width = x.shape[-1]
        if part == "":
            return self.ungained(grad, x, parameters)
        if part == "mean":
            return (np.broadcast_to(grad[..., None] / width, x.shape),), ()
        centred = x - statistics[0][..., None]
        if part == "rstd":
            to_x = (grad * made**3 / -width)[..., None] * centred
            return (to_x, -to_x.sum(axis=-1)), ()
        to_x = grad * statistics[1][..., None]
        return (to_x, -to_x.sum(axis=-1), (grad * centred).sum(axis=-1)), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        if extra is not None:
            return EXTRAS[extra](seen, cell, self.epsilon)
        return self.explain_output(seen, cell)

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        if operand.startswith("parameter"):
            return self.parameter_slope(seen, operand, cell)
        return self.vector_slope(seen, cell, scale="rstd", centred=True)


def explain_mean(seen: Evidence, cell: Index, epsilon: float) -> Derivation:
    """A row's numbers, added up and divided by how many they are."""
    x = seen.input(0)
    row = x.at("x", *cell, ALL)
    return Derivation(
        operands=(row,),
        formula=f"Σ {x.say(*cell, ALL)} / {len(row)}",
        latex=rf"\frac{{1}}{{{len(row)}}} \sum {x.tex(*cell, ALL)}",
        substituted=f"({sum_of_products([row.values])}) / {len(row)}",
        summands=(Summand((0,), 1 / len(row)),),
    )


def explain_rstd(seen: Evidence, cell: Index, epsilon: float) -> Derivation:
    """One over the root of the mean square of what is left without the mean."""
    x, mean = seen.input(0), seen.extra("mean")
    row, middle = x.at("x", *cell, ALL), mean.at("mean", *cell)
    value = float(seen.extra("rstd").values[cell])
    left = row.values.astype(np.float64) - float(middle.values[0])
    small = figure(epsilon)
    return Derivation(
        operands=(row, middle),
        formula=f"1 / √(Σ ({x.say(*cell, ALL)} − {mean.say(*cell)})² / {len(row)} + {small})",
        latex=rf"\left(\frac{{1}}{{{len(row)}}} \sum ({x.tex(*cell, ALL)} - {mean.tex(*cell)})^2"
        rf" + {in_latex(small)}\right)^{{-1/2}}",
        substituted=f"1 / √(({sum_of_products([left, left])}) / {len(row)} + {small})",
        rule=lambda x, m: 1 / np.sqrt(np.mean((x - m[0]) ** 2) + epsilon),
        weights=lambda x, m: (x - m[0]) ** 2 / len(x),
        rounding=value * (1 + float(np.abs(row.values).max())),
    )


def explain_normalized(seen: Evidence, cell: Index, epsilon: float) -> Derivation:
    """What is left without the mean, in units of the deviation."""
    x, mean, rstd = seen.input(0), seen.extra("mean"), seen.extra("rstd")
    row = cell[:-1]
    operands = x.at("x", *cell), mean.at("mean", *row), rstd.at("rstd", *row)
    at, middle, scale = (float(operand.values[0]) for operand in operands)
    return Derivation(
        operands=operands,
        formula=f"({x.say(*cell)} − {mean.say(*row)}) · {rstd.say(*row)}",
        latex=rf"({x.tex(*cell)} - {mean.tex(*row)}) \cdot {rstd.tex(*row)}",
        substituted=f"({figure(at)} − {bracketed(middle)}) × {figure(scale)}",
        rule=lambda x, m, r: (x[0] - m[0]) * r[0],
        rounding=(abs(at) + abs(middle)) * scale,
    )


EXTRAS = {"mean": explain_mean, "rstd": explain_rstd, "normalized": explain_normalized}
