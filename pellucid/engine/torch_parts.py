"""The torch calls of parts of a step: an extra, or the output made of extras."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from pellucid.engine import torch_norms as norms
from pellucid.ops.loss import NO_TARGET

Tensors = Sequence[Tensor]


def layer_norm(op: Any, makes: str, given: Tensors, parameters: Tensors) -> Tensor:
    """Mean, reciprocal deviation, normalised values, and these with gain and shift."""
    x, *statistics = given
    if makes == "":
        return norms.gained(op, x, parameters)
    if makes == "mean":
        return x.mean(-1)
    centred = x - statistics[0][..., None]
    if makes == "rstd":
        return (centred.square().mean(-1) + op.epsilon).rsqrt()
    return centred * statistics[1][..., None]


def rms_norm(op: Any, makes: str, given: Tensors, parameters: Tensors) -> Tensor:
    """Reciprocal root mean square, normalised values, and these with gain and shift."""
    x = given[0]
    if makes == "":
        return norms.gained(op, x, parameters)
    if makes == "rrms":
        return (x.square().mean(-1) + op.epsilon).rsqrt()
    return x * given[1][..., None]


def softmax(op: Any, makes: str, given: Tensors, parameters: Tensors) -> Tensor:
    """Maximum, sum, and shares."""
    x, *statistics = given
    if makes == "max":
        return x.amax(-1)
    powers = (x - statistics[0][..., None]).exp()
    return powers.sum(-1) if makes == "sum" else powers / statistics[1][..., None]


def cross_entropy(op: Any, makes: str, given: Tensors, parameters: Tensors) -> Tensor:
    """log Σ exp of the logits, and the loss at each position."""
    if makes == "log_sum":
        return given[0].logsumexp(-1)
    logits, targets, log_sum = given
    at_target = logits.gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return (log_sum - at_target) * targets.ne(NO_TARGET)


def gate(op: Any, makes: str, given: Tensors, parameters: Tensors) -> Tensor:
    """What a share, or a mask, lets through."""
    return given[0] * given[1]


PartCall = Callable[[Any, str, Tensors, Tensors], Tensor]
PARTS: dict[str, PartCall] = {
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "softmax": softmax,
    "cross_entropy": cross_entropy,
    **dict.fromkeys(("gelu", "gelu_tanh", "gelu_quick", "silu", "dropout"), gate),
}
"""By the operation's kind; for those with a single extra, how the output is made of it."""
