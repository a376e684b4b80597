"""What a feed-forward network does between its two linear maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt
from typing import ClassVar

import numpy as np

from pellucid.ops.erf import erf
from pellucid.ops.evidence import Evidence, escape, worked_out
from pellucid.ops.figures import figure, sum_of_products
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.term import Derivation, Index, Slope, Summand


class Activation(Operation):
    """A function of each number alone: the dims stay."""

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{self.kind}({inputs[0]})"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return rf"\operatorname{{{escape(self.kind)}}}({inputs[0]})"


@dataclass(frozen=True, slots=True)
class Relu(Activation):
    """`max(x, 0)`. At exactly 0 the derivative is taken as 0."""

    kind: ClassVar[str] = "relu"
    saves: ClassVar[frozenset[str]] = frozenset({"output"})

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        return np.maximum(inputs[0], 0), ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        assert output is not None
        # The sign of a number that is not negative is 1 where it is positive.
        return (grad * np.sign(output),), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        x = seen.input(0)
        return Derivation(
            operands=(x.at("x", *cell),),
            formula=f"max({x.say(*cell)}, 0)",
            latex=rf"\max({x.tex(*cell)},\, 0)",
            substituted=f"max({figure(x.values[cell])}, 0)",
            rule=lambda values: np.maximum(values[0], 0),
            rounding=abs(float(x.values[cell])),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        x = seen.input(0)
        passes = float(x.values[cell] > 0)
        sign = ">" if passes else "≤"
        formula = f"{figure(passes)}, as {x.say(*cell)} {sign} 0"
        via = worked_out((x.at("x", *cell),), lambda x: np.greater(x, 0).astype(np.float64))
        return Slope(cell, via, formula, rf"[{x.tex(*cell)} > 0]")

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return count(inputs[0], sizes)


class GaussianGate(Activation):
    """`x · Φ(x)`: each number times the share of a normal distribution that lies below it.

    The share is kept as `cdf`. Source: Hendrycks & Gimpel, "Gaussian Error Linear Units" (2016).
    """

    extras: ClassVar[Dims] = ("cdf",)
    saves: ClassVar[frozenset[str]] = frozenset({"inputs", "cdf"})

    def extra_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        return (inputs[0],)

    def cdf(self, x: Array) -> Array:
        """The share below `x`, of `x`'s shape."""
        raise NotImplementedError

    def density(self, x: Array, cdf: Array) -> Array:
        """The derivative of `cdf` at `x`, of `x`'s shape."""
        raise NotImplementedError

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        cdf = self.cdf(inputs[0])
        return inputs[0] * cdf, (cdf,)

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        x, cdf = inputs[0], extras[0]
        slope = self.density(x, cdf)
        slope *= x
        slope += cdf
        slope *= grad
        return (slope,), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        x = seen.input(0)
        at = x.at("x", *cell)
        if extra == "cdf":
            return Derivation(
                operands=(at,),
                formula=f"Φ({x.say(*cell)})",
                latex=rf"\Phi({x.tex(*cell)})",
                substituted=f"Φ({figure(at.values[0])})",
                rule=lambda values: self.cdf(values)[0],
                rounding=1 + abs(float(at.values[0])),
            )
        cdf = seen.extra("cdf")
        share = cdf.at("share", *cell)
        return Derivation(
            operands=(at, share),
            formula=f"{x.say(*cell)} · {cdf.say(*cell)}",
            latex=rf"{x.tex(*cell)} \cdot \Phi({x.tex(*cell)})",
            substituted=sum_of_products([at.values, share.values]),
            summands=(Summand((0, 1)),),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        x = seen.input(0)
        sources = x.at("x", *cell), seen.extra("cdf").at("share", *cell)
        at, cdf = (source.values.astype(np.float64) for source in sources)
        return Slope(
            cell,
            worked_out(sources, lambda x, cdf: cdf + x * self.density(x, cdf)),
            f"Φ + {x.say(*cell)} · Φ′",
            rf"\Phi + {x.tex(*cell)} \cdot \Phi'",
            sizes=(cdf + np.abs(at * self.density(at, cdf))) * (1 + np.abs(at)),
        )

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 8 * count(inputs[0], sizes)


@dataclass(frozen=True, slots=True)
class Gelu(GaussianGate):
    """GELU with the exact distribution, `Φ(x) = (1 + erf(x/√2)) / 2`."""

    kind: ClassVar[str] = "gelu"

    def cdf(self, x: Array) -> Array:
        cdf = erf(x * sqrt(0.5))
        cdf += 1
        cdf *= 0.5
        return cdf

    def density(self, x: Array, cdf: Array) -> Array:
        density: Array = np.exp(x * x * -0.5)
        density *= 1 / sqrt(2 * pi)
        return density


@dataclass(frozen=True, slots=True)
class GeluTanh(GaussianGate):
    """GELU with the approximation `Φ(x) ≈ (1 + tanh(√(2/π) · (x + 0.044715·x³))) / 2`."""

    kind: ClassVar[str] = "gelu_tanh"
    scale: ClassVar[float] = sqrt(2 / pi)
    cubic: ClassVar[float] = 0.044715

    def cdf(self, x: Array) -> Array:
        # x · (scale + scale · cubic · x²): float32 powers are slow, products are not.
        cdf = x * x
        cdf *= self.scale * self.cubic
        cdf += self.scale
        cdf *= x
        np.tanh(cdf, out=cdf)
        cdf += 1
        cdf *= 0.5
        return cdf

    def density(self, x: Array, cdf: Array) -> Array:
        # d/dx tanh(u)/2 = (1 - tanh²(u))/2 · u' = 2 · cdf · (1 - cdf) · u'
        density = x * x
        density *= 3 * self.scale * self.cubic
        density += self.scale
        density *= cdf
        density *= 1 - cdf
        density *= 2
        return density


ACTIVATIONS: dict[str, type[Activation]] = {"relu": Relu, "gelu": Gelu, "gelu_tanh": GeluTanh}
"""By the name that a config gives them."""
