"""Softmax: scores turned into shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.evidence import ALL, Evidence, as_text, worked_out
from pellucid.ops.figures import and_more, bracketed, figure, largest_of
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.rows import row_maxima, row_sums
from pellucid.ops.term import Derivation, Index, Slope, reach


@dataclass(frozen=True, slots=True)
class Softmax(Operation):
    """`exp(x - max) / sum`, along the last dim: shares that sum to 1.

    `max` is the largest number, which keeps exp from overflowing; `sum` adds up the exp(x - max).
    """

    kind: ClassVar[str] = "softmax"
    extras: ClassVar[Dims] = ("max", "sum")
    saves: ClassVar[frozenset[str]] = frozenset({"output"})
    inside: ClassVar[Mapping[str, Dims]] = {
        "max": ("input 0",),
        "sum": ("input 0", "max"),
        "": ("input 0", "max", "sum"),
    }

    over: str
    """The dim along which the shares sum to 1."""

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def extra_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        return inputs[0][:-1], inputs[0][:-1]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"softmax({inputs[0]}) over {self.over}"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return rf"\operatorname{{softmax}}_{{{as_text(self.over)}}}({inputs[0]})"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        x = inputs[0]
        largest = row_maxima(x)
        out = x - largest
        np.exp(out, out)
        total = row_sums(out)
        out /= total
        return out, (largest[..., 0], total[..., 0])

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        assert output is not None
        grad_x = grad - row_sums(grad * output)
        grad_x *= output
        return (grad_x,), ()

    def make(self, part: str, given: Sequence[Array], parameters: Sequence[Array]) -> Array:
        x, *statistics = given
        if part == "max":
            return row_maxima(x)[..., 0]
        out = np.exp(x - statistics[0][..., None])
        return row_sums(out)[..., 0] if part == "sum" else out / statistics[1][..., None]

    def unmake(
        self,
        part: str,
        grad: Array,
        given: Sequence[Array],
        parameters: Sequence[Array],
        made: Array,
    ) -> Backward:
        x, *statistics = given
        if part == "max":
            # Of several largest each has its share.
            here = x == made[..., None]
            return (here * (grad / here.sum(axis=-1))[..., None],), ()
        if part == "sum":
            to_x = grad[..., None] * np.exp(x - statistics[0][..., None])
            return (to_x, -grad * made), ()
        to_x = grad * made
        total = -to_x.sum(axis=-1)
        return (to_x, total, total / statistics[1]), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        if extra is not None:
            return {"max": explain_max, "sum": explain_sum}[extra](seen, cell)
        x, largest, total = seen.input(0), seen.extra("max"), seen.extra("sum")
        row = cell[:-1]
        operands = x.at("x", *cell), largest.at("max", *row), total.at("sum", *row)
        at, top, whole = (float(operand.values[0]) for operand in operands)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = float(np.exp(at - top) / np.float64(whole))
        said = x.say(*cell), largest.say(*row), total.say(*row)
        tex = x.tex(*cell), largest.tex(*row), total.tex(*row)
        return Derivation(
            operands=operands,
            formula=f"exp({said[0]} − {said[1]}) / {said[2]}",
            latex=rf"\frac{{\exp({tex[0]} - {tex[1]})}}{{{tex[2]}}}",
            substituted=f"exp({figure(at)} − {bracketed(top)}) / {figure(whole)}",
            rule=lambda x, m, s: np.exp(x[0] - m[0]) / s[0],
            rounding=(1 + reach(np.array([at, top]))) * share,
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        *row, k = cell
        out = seen.output
        row_of_shares = out.at("share", *row, ALL)
        shares = row_of_shares.values.astype(np.float64)
        every = np.arange(len(shares))
        return Slope(
            (*row, every),
            worked_out((row_of_shares,), lambda p: p * ((every == k) - p[k])),
            f"{out.say(*row, ALL)} · ({out.one_at(k)} − {out.say(*cell)})",
            rf"{out.tex(*row, ALL)} \left({as_text(out.one_at(k))} - {out.tex(*cell)}\right)",
            sizes=shares * ((every == k) + shares[k]),
        )

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 5 * count(inputs[0], sizes)


def explain_max(seen: Evidence, cell: Index) -> Derivation:
    """The largest of a row."""
    x = seen.input(0)
    row = x.at("x", *cell, ALL)
    return Derivation(
        operands=(row,),
        formula=f"max {x.say(*cell, ALL)}",
        latex=rf"\max {x.tex(*cell, ALL)}",
        substituted=f"max({', '.join(and_more(largest_of(row.values), len(row)))})",
        rule=np.max,
        weights=lambda x: np.where(x == x.max(), x, 0),
        rounding=0.0,
    )


def explain_sum(seen: Evidence, cell: Index) -> Derivation:
    """exp of each number of a row less the largest, added up."""
    x, largest = seen.input(0), seen.extra("max")
    row, top = x.at("x", *cell, ALL), largest.at("max", *cell)
    peak = bracketed(top.values[0])
    shown = [f"exp({number} − {peak})" for number in largest_of(row.values)]
    return Derivation(
        operands=(row, top),
        formula=f"Σ exp({x.say(*cell, ALL)} − {largest.say(*cell)})",
        latex=rf"\sum \exp({x.tex(*cell, ALL)} - {largest.tex(*cell)})",
        substituted=" + ".join(and_more(shown, len(row))),
        rule=lambda x, m: np.exp(x - m[0]).sum(),
        weights=lambda x, m: np.exp(x - m[0]),
        rounding=(1 + reach(row.values)) * float(seen.extra("sum").values[cell]),
    )
