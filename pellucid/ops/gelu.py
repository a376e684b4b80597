"""GELU: each number times the share of a normal distribution that lies below it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi, sqrt
from typing import ClassVar

import numpy as np

from pellucid.ops.erf import erf
from pellucid.ops.operation import Array, Dims
from pellucid.ops.smooth_gate import SmoothGate


class GaussianGate(SmoothGate):
    """`x · Φ(x)`; Φ is kept as `cdf`.

    Source: Hendrycks & Gimpel, "Gaussian Error Linear Units" (2016).
    """

    extras: ClassVar[Dims] = ("cdf",)
    saves: ClassVar[frozenset[str]] = frozenset({"inputs", "cdf"})
    inside: ClassVar[Mapping[str, Dims]] = {"cdf": ("input 0",), "": ("input 0", "cdf")}
    letter: ClassVar[str] = "Φ"
    letter_in_latex: ClassVar[str] = r"\Phi"


@dataclass(frozen=True, slots=True)
class Gelu(GaussianGate):
    """GELU with the exact distribution, `Φ(x) = (1 + erf(x/√2)) / 2`."""

    kind: ClassVar[str] = "gelu"

    def share(self, x: Array) -> Array:
        share = erf(x * sqrt(0.5))
        share += 1
        share *= 0.5
        return share

    def density(self, x: Array, share: Array) -> Array:
        density: Array = np.exp(x * x * -0.5)
        density *= 1 / sqrt(2 * pi)
        return density


@dataclass(frozen=True, slots=True)
class GeluTanh(GaussianGate):
    """GELU with the approximation `Φ(x) ≈ (1 + tanh(√(2/π) · (x + 0.044715·x³))) / 2`."""

    kind: ClassVar[str] = "gelu_tanh"
    scale: ClassVar[float] = sqrt(2 / pi)
    cubic: ClassVar[float] = 0.044715

    def share(self, x: Array) -> Array:
        # x · (scale + scale · cubic · x²): float32 powers are slow, products are not.
        share = x * x
        share *= self.scale * self.cubic
        share += self.scale
        share *= x
        np.tanh(share, out=share)
        share += 1
        share *= 0.5
        return share

    def density(self, x: Array, share: Array) -> Array:
        # d/dx tanh(u)/2 = (1 - tanh²(u))/2 · u' = 2 · share · (1 - share) · u'
        density = x * x
        density *= 3 * self.scale * self.cubic
        density += self.scale
        density *= share
        density *= 1 - share
        density *= 2
        return density
