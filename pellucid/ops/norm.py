"""Normalisation: every position's vector brought to one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count


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

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        x = inputs[0]
        share = 1 / x.shape[-1]
        mean = np.add.reduce(x, axis=-1, keepdims=True)
        mean *= share
        normalized = x - mean
        variance = np.vecdot(normalized, normalized)
        variance *= share
        variance += self.epsilon
        rstd = 1 / np.sqrt(variance)
        normalized *= rstd[..., None]
        out = normalized * parameters[0]
        if self.beta is not None:
            out += parameters[1]
        return out, (mean[..., 0], rstd, normalized)

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        _, rstd, normalized = extras
        gamma, width = parameters[0], grad.shape[-1]
        share = gamma * (1 / width)
        product = grad * normalized
        # What moves the mean or the scale of the whole vector does not get through.
        grad_x = grad * gamma
        grad_x -= np.dot(grad, share)[..., None]
        grad_x -= normalized * np.dot(product, share)[..., None]
        grad_x *= rstd[..., None]
        grad_gamma = np.add.reduce(product.reshape(-1, width), axis=0)
        if self.beta is None:
            return (grad_x,), (grad_gamma,)
        return (grad_x,), (grad_gamma, np.add.reduce(grad.reshape(-1, width), axis=0))

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 8 * count(inputs[0], sizes)
