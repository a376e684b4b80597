"""Normalisation: every position's vector brought to one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.rows import as_rows, averaging, column_sums


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

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 8 * count(inputs[0], sizes)
