"""The torch calls of norms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor
from torch.nn import functional

Tensors = Sequence[Tensor]


def wide(x: Tensor) -> Tensor:
    """Numbers of 16 bits as float32: in those, sums over a row and exp lose too much."""
    return x.float() if x.dtype.itemsize < 4 else x


def layer_norm(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """The norm, in float32 at least."""
    x = inputs[0]
    if op.by_head or op.unit_offset:
        return gained(op, extras_of_layer_norm(op, inputs, parameters)[2], parameters).to(x.dtype)
    gain, *shift = [wide(parameter) for parameter in parameters]
    beta = shift[0] if shift else None
    return functional.layer_norm(wide(x), x.shape[-1:], gain, beta, op.epsilon).to(x.dtype)


def extras_of_layer_norm(op: Any, inputs: Tensors, parameters: Tensors) -> tuple[Tensor, ...]:
    """Mean, reciprocal deviation and normalised values."""
    x = wide(inputs[0])
    mean = x.mean(-1, keepdim=True)
    rstd = ((x - mean).square().mean(-1, keepdim=True) + op.epsilon).rsqrt()
    return mean[..., 0], rstd[..., 0], (x - mean) * rstd


def rms_norm(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """The norm, in float32 at least."""
    _, normalized = extras_of_rms_norm(op, inputs, parameters)
    return gained(op, normalized, parameters).to(inputs[0].dtype)


def extras_of_rms_norm(op: Any, inputs: Tensors, parameters: Tensors) -> tuple[Tensor, ...]:
    """Reciprocal root mean square and normalised values."""
    x = wide(inputs[0])
    rrms = (x.square().mean(-1, keepdim=True) + op.epsilon).rsqrt()
    return rrms[..., 0], x * rrms


def gained(op: Any, normalized: Tensor, parameters: Tensors) -> Tensor:
    """Normalised values with gain and shift, each head's own where it has them."""
    gain, *shift = [op.along(wide(parameter)) for parameter in parameters]
    out = normalized * (gain + 1 if op.unit_offset else gain)
    return out + shift[0] if shift else out
