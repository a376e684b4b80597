"""Normalisation: every position's vector brought to one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.rows import as_rows, column_sums, filled


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
        rows = as_rows(x)
        share = filled(x.shape[-1], 1 / x.shape[-1], x.dtype)
        mean = rows.dot(share)
        normalized = rows - mean
        variance = (normalized * normalized).dot(share)
        variance += self.epsilon
        rstd = np.reciprocal(np.sqrt(variance))
        normalized *= rstd
        out = normalized * parameters[0]
        if self.beta is not None:
            out += parameters[1]
        places = x.shape[:-1]
        extras = (mean.reshape(places), rstd.reshape(places), normalized.reshape(x.shape))
        return out.reshape(x.shape), extras

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        normalized, rows = as_rows(extras[2]), as_rows(grad)
        gamma = parameters[0]
        share = (gamma * (1 / gamma.size))[:, None]
        product = rows * normalized
        # What would move the mean or the scale of the whole vector does not get through.
        grad_x = rows * gamma
        grad_x -= rows.dot(share)
        grad_x -= normalized * product.dot(share)
        grad_x *= extras[1].reshape(-1, 1)
        to_input = (grad_x.reshape(grad.shape),)
        if self.beta is None:
            return to_input, (column_sums(product),)
        return to_input, (column_sums(product), column_sums(rows))

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 8 * count(inputs[0], sizes)
