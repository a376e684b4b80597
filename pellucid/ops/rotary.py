"""Rotary positions: pairs of numbers, turned by an angle that grows with the position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.evidence import Evidence, copied, unchanged, worked_out
from pellucid.ops.figures import bracketed, figure, in_latex, sum_of_products
from pellucid.ops.frequencies import Frequencies
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.term import Derivation, Index, Slope, Summand


@dataclass(frozen=True, slots=True)
class Rotate(Operation):
    """`(a, b)` becomes `(a · cos - b · sin, b · cos + a · sin)`, for each pair of a vector.

    `cos` and `sin` are of `position · frequency`, times `magnitude`. `halves` pairs number `i` with
    `i + width/2`, `pairs` neighbours; numbers past the width stay. The second input has the
    positions; the third how many each text has, where frequencies depend on it.
    Source: Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021).
    """

    kind: ClassVar[str] = "rotate"
    extras: ClassVar[Dims] = ("cos", "sin")
    saves: ClassVar[frozenset[str]] = frozenset({"cos", "sin"})

    @property
    def inside(self) -> Mapping[str, Dims]:  # type: ignore[override]  # Known of each by itself.
        """The waves are of positions, and of lengths where frequencies depend on them."""
        angles = ("input 1", "input 2") if self.frequencies.depend_on_length else ("input 1",)
        return {"cos": angles, "sin": angles, "": ("input 0", "cos", "sin")}

    frequencies: Frequencies
    layout: str = "halves"
    magnitude: float = 1.0

    @property
    def width(self) -> int:
        """How many numbers of a vector are turned."""
        return 2 * len(self.frequencies)

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def extra_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        return (*inputs[1], "pair"), (*inputs[1], "pair")

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        of_the_text = f" for {inputs[2]}" if len(inputs) > 2 else ""
        return f"{inputs[0]}, its pairs turned by {inputs[1]} · frequency{of_the_text}"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        of_the_text = rf"\text{{ for }}{inputs[2]}" if len(inputs) > 2 else ""
        turned = rf"{inputs[0]}\text{{, its pairs turned by }}{inputs[1]}"
        return rf"{turned} \cdot \text{{frequency}}{of_the_text}"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        x, positions, *lengths = inputs
        angles = positions[..., None] * self.frequencies.at(*lengths)
        cos, sin = (
            (wave(angles) * self.magnitude).astype(x.dtype, copy=False) for wave in (np.cos, np.sin)
        )
        return self.turned(x, cos, sin), (cos, sin)

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        cos, sin = extras
        return (self.turned(grad, cos, -sin), *(None,) * (len(inputs) - 1)), ()

    def make(self, part: str, given: Sequence[Array], parameters: Sequence[Array]) -> Array:
        if part == "":
            x, cos, sin = given
            return self.turned(x, cos, sin)
        positions, *lengths = given
        wave = {"cos": np.cos, "sin": np.sin}[part]
        angles = positions[..., None] * self.frequencies.at(*lengths)
        waves: Array = wave(angles) * self.magnitude
        return waves

    def unmake(
        self,
        part: str,
        grad: Array,
        given: Sequence[Array],
        parameters: Sequence[Array],
        made: Array,
    ) -> Backward:
        if part != "":
            return (None,) * len(given), ()
        x, cos, sin = given
        first, second = self.halves_of_pairs()
        a, b, to_first, to_second = (
            x[..., first],
            x[..., second],
            grad[..., first],
            grad[..., second],
        )
        to_cos = (to_first * a + to_second * b).sum(axis=1)
        to_sin = (to_second * a - to_first * b).sum(axis=1)
        return (self.turned(grad, cos, -sin), to_cos, to_sin), ()

    def turned(self, x: Array, cos: Array, sin: Array) -> Array:
        """`[batch, head, position, d_head]`, turned by `[batch, position, pair]`."""
        first, second = self.halves_of_pairs()
        a, b = x[..., first], x[..., second]
        cos, sin = cos[:, None], sin[:, None]
        out = np.empty_like(x)
        out[..., first] = a * cos - b * sin
        out[..., second] = b * cos + a * sin
        if self.width < x.shape[-1]:
            out[..., self.width :] = x[..., self.width :]
        return out

    def halves_of_pairs(self) -> tuple[slice, slice]:
        """Where the first number of each pair stands, and the second."""
        if self.layout == "pairs":
            return slice(0, self.width, 2), slice(1, self.width, 2)
        half = self.width // 2
        return slice(0, half), slice(half, self.width)

    def pair(self, d: int) -> tuple[int, int, int]:
        """For a number of a vector its pair, its partner, and the sign of the partner's sine."""
        if self.layout == "pairs":
            return d // 2, d ^ 1, 1 if d % 2 else -1
        half = self.width // 2
        return d % half, (d + half) % self.width, 1 if d >= half else -1

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        if extra is not None:
            return self.explain_wave(seen, cell, extra)
        head, place, d = cell
        x = seen.input(0)
        if d >= self.width:
            return copied(x, cell, "")
        pair, partner, sign = self.pair(d)
        cos, sin = seen.extra("cos"), seen.extra("sin")
        other = (head, place, partner)
        operands = (
            x.at("x", *cell),
            cos.at("cos", place, pair),
            x.at("partner", *other),
            sin.at("sin", place, pair),
        )
        numbers = [operand.values for operand in operands]
        mark = "+" if sign > 0 else "−"
        return Derivation(
            operands=operands,
            formula=f"{x.say(*cell)} · {cos.say(place, pair)} {mark} "
            f"{x.say(*other)} · {sin.say(place, pair)}",
            latex=rf"{x.tex(*cell)} \cdot {cos.tex(place, pair)} {'+' if sign > 0 else '-'} "
            rf"{x.tex(*other)} \cdot {sin.tex(place, pair)}",
            substituted=f"{sum_of_products(numbers[:2])} {mark} {sum_of_products(numbers[2:])}",
            summands=(Summand((0, 1)), Summand((2, 3), sign)),
        )

    def explain_wave(self, seen: Evidence, cell: Index, wave: str) -> Derivation:
        """The cosine or sine of an angle."""
        place, pair = cell
        positions = seen.input(1)
        lengths = [seen.input(2).values.reshape(1)] if self.frequencies.depend_on_length else []
        frequency = float(self.frequencies.at(*lengths)[..., pair].item())
        turn = {"cos": np.cos, "sin": np.sin}[wave]
        at, turns = float(positions.values[place]), figure(frequency)
        times = "" if self.magnitude == 1 else f"{figure(self.magnitude)} · "
        return Derivation(
            operands=(positions.at("position", place),),
            formula=f"{times}{wave}({positions.say(place)} × {turns})",
            latex=rf"{in_latex(times)}\{wave}({positions.tex(place)} \cdot {in_latex(turns)})",
            substituted=f"{times}{wave}({bracketed(at)} × {turns})",
            rule=lambda p: self.magnitude * turn(p[0] * frequency),
            rounding=self.magnitude * (1.0 + at),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        head, place, d = cell
        if d >= self.width:
            return unchanged(*cell)
        pair, partner, sign = self.pair(d)
        cos, sin = seen.extra("cos"), seen.extra("sin")
        at = place, pair
        mark = "−" if sign > 0 else ""
        return Slope(
            (head, place, np.array([d, partner])),
            worked_out(
                (cos.at("cos", *at), sin.at("sin", *at)),
                lambda c, s: np.concatenate([c, -sign * s]),
            ),
            f"{cos.say(*at)}, and {mark}{sin.say(*at)} for its partner",
            rf"{cos.tex(*at)},\; {'-' if sign > 0 else ''}{sin.tex(*at)}",
        )

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        turned = count(inputs[0][:-1], sizes) * self.width
        return 3 * turned + 2 * count(self.extra_dims(*inputs)[0], sizes)
