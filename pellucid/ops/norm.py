"""Normalisation: every position's vector brought to one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.evidence import ALL, Evidence, as_text, unchanged, worked_out
from pellucid.ops.figures import bracketed, figure, in_latex, sum_of_products
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.rows import as_rows, averaging, column_sums
from pellucid.ops.term import Derivation, Index, Slope, Summand


@dataclass(frozen=True, slots=True)
class LayerNorm(Operation):
    """`normalized = (x - mean) · rstd`, `out = normalized · gamma + beta`, over the last dim.

    `rstd = 1 / √(variance + epsilon)`, the variance being the mean square of `x - mean`.
    Source: Ba, Kiros & Hinton, "Layer Normalization" (2016).
    """

    kind: ClassVar[str] = "layer_norm"
    extras: ClassVar[Dims] = ("mean", "rstd", "normalized")
    saves: ClassVar[frozenset[str]] = frozenset({"rstd", "normalized"})

    gamma: str
    beta: str | None
    epsilon: float

    @property
    def parameters(self) -> tuple[str, ...]:
        return (self.gamma,) if self.beta is None else (self.gamma, self.beta)

    def parameter_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        return (inputs[0][-1:],) * len(self.parameters)

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def extra_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        return inputs[0][:-1], inputs[0][:-1], inputs[0]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        scaled = f"({inputs[0]} - mean) · rstd · {parameters[0]}"
        return " + ".join([scaled, *parameters[1:]])

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        scaled = rf"({inputs[0]} - \mathrm{{mean}}) \cdot \mathrm{{rstd}} \cdot {parameters[0]}"
        return " + ".join([scaled, *parameters[1:]])

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
        out = normalized * parameters[0]
        if self.beta is not None:
            out += parameters[1]
        shape, places = x.shape, x.shape[:-1]
        extras = mean[:, 0].reshape(places), rstd[:, 0].reshape(places), normalized.reshape(shape)
        return out.reshape(shape), extras

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        normalized, rows = as_rows(extras[2]), as_rows(grad)
        share = averaging(grad.shape[-1], grad.dtype)
        to_normalized = rows * parameters[0]
        # What would move the mean or the scale of the whole vector does not get through.
        scaling = (to_normalized * normalized).dot(share) * normalized
        grad_x = to_normalized - to_normalized.dot(share)
        grad_x -= scaling
        grad_x *= extras[1].reshape(-1, 1)
        to_input = (grad_x.reshape(grad.shape),)
        grad_gamma = column_sums(rows * normalized)
        if self.beta is None:
            return to_input, (grad_gamma,)
        return to_input, (grad_gamma, column_sums(rows))

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        if extra is not None:
            return EXTRAS[extra](seen, cell, self.epsilon)
        normalized, gamma = seen.extra("normalized"), seen.parameter(0)
        operands = [normalized.at("normalized", *cell), gamma.at("gamma", cell[1])]
        summands = [Summand((0, 1))]
        formula = f"{normalized.say(*cell)} · {gamma.say(cell[1])}"
        latex = rf"{normalized.tex(*cell)} \cdot {gamma.tex(cell[1])}"
        if self.beta is not None:
            beta = seen.parameter(1)
            operands.append(beta.at("beta", cell[1]))
            summands.append(Summand((2,)))
            formula = f"{formula} + {beta.say(cell[1])}"
            latex = f"{latex} + {beta.tex(cell[1])}"
        return Derivation(
            operands=tuple(operands),
            formula=formula,
            latex=latex,
            substituted=sum_of_products(
                [operands[0].values, operands[1].values], [o.values[0] for o in operands[2:]]
            ),
            summands=tuple(summands),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        normalized = seen.extra("normalized")
        if operand.startswith("parameter"):
            every = np.arange(len(normalized.values))
            if operand == "parameter 1":
                return unchanged(every, cell[0])
            via = normalized.at("local derivative", ALL, cell[0])
            words = normalized.say(ALL, cell[0]), normalized.tex(ALL, cell[0])
            return Slope((every, cell[0]), via, *words)
        row, i = cell
        scale, gain = seen.extra("rstd"), seen.parameter(0)
        here, n_i, n_all = normalized.one_at(i), (row, i), (row, ALL)
        sources = (
            normalized.at("normalized", row, ALL),
            scale.at("rstd", row),
            gain.at("gamma", ALL),
        )
        n, rstd, gamma = (source.values.astype(np.float64) for source in sources)
        width = len(n)
        same = np.arange(width) == i
        return Slope(
            (row, np.arange(width)),
            worked_out(sources, lambda n, r, g: r * g * (same - (1 + n[i] * n) / width)),
            f"{scale.say(row)} · {gain.say(ALL)} · ({here} − "
            f"(1 + {normalized.say(*n_i)} · {normalized.say(*n_all)}) / {width})",
            rf"{scale.tex(row)} \cdot {gain.tex(ALL)} \left({as_text(here)} - \frac{{1 + "
            rf"{normalized.tex(*n_i)} \cdot {normalized.tex(*n_all)}}}{{{width}}}\right)",
            sizes=np.abs(rstd * gamma) * (same + (1 + np.abs(n[i] * n)) / width),
        )

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 8 * count(inputs[0], sizes)


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
    operands = x.at("x", *cell), mean.at("mean", cell[0]), rstd.at("rstd", cell[0])
    at, middle, scale = (float(operand.values[0]) for operand in operands)
    return Derivation(
        operands=operands,
        formula=f"({x.say(*cell)} − {mean.say(cell[0])}) · {rstd.say(cell[0])}",
        latex=rf"({x.tex(*cell)} - {mean.tex(cell[0])}) \cdot {rstd.tex(cell[0])}",
        substituted=f"({figure(at)} − {bracketed(middle)}) × {figure(scale)}",
        rule=lambda x, m, r: (x[0] - m[0]) * r[0],
        rounding=(abs(at) + abs(middle)) * scale,
    )


EXTRAS = {"mean": explain_mean, "rstd": explain_rstd, "normalized": explain_normalized}
