"""SiLU: each number times its logistic function, the share of a logistic distribution below it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.operation import Array, Dims
from pellucid.ops.smooth_gate import SmoothGate


class LogisticGate(SmoothGate):
    """`x · σ(steepness · x)`, with `σ(x) = 1 / (1 + exp(-x))`, which is kept as `sigmoid`."""

    extras: ClassVar[Dims] = ("sigmoid",)
    saves: ClassVar[frozenset[str]] = frozenset({"inputs", "sigmoid"})
    inside: ClassVar[Mapping[str, Dims]] = {"sigmoid": ("input 0",), "": ("input 0", "sigmoid")}
    letter: ClassVar[str] = "σ"
    letter_in_latex: ClassVar[str] = r"\sigma"
    steepness: ClassVar[float]

    def share(self, x: Array) -> Array:
        # By tanh, which overflows nowhere: σ(x) = (1 + tanh(x/2)) / 2.
        share: Array = np.tanh(x * (self.steepness / 2))
        share += 1
        share *= 0.5
        return share

    def density(self, x: Array, share: Array) -> Array:
        density: Array = share * (1 - share)
        density *= self.steepness
        return density


@dataclass(frozen=True, slots=True)
class Silu(LogisticGate):
    """`x · σ(x)`.

    Source: Elfwing, Uchibe & Doya, "Sigmoid-Weighted Linear Units" (2017).
    """

    kind: ClassVar[str] = "silu"
    steepness: ClassVar[float] = 1.0


@dataclass(frozen=True, slots=True)
class GeluQuick(LogisticGate):
    """`x · σ(1.702 · x)`: GELU, nearly.

    Source: Hendrycks & Gimpel, "Gaussian Error Linear Units" (2016), section 2.
    """

    kind: ClassVar[str] = "gelu_quick"
    steepness: ClassVar[float] = 1.702

    def argument(self, x: str) -> str:
        return f"{self.steepness} · {x}"
