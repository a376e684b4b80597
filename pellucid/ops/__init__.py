"""The mathematics: the forward and backward pass of each operation, side by side."""

from pellucid.ops import (
    activation,
    attention,
    embedding,
    heads,
    linear,
    loss,
    norm,
    position,
    residual,
    softmax,
)

__all__ = [
    "activation",
    "attention",
    "embedding",
    "heads",
    "linear",
    "loss",
    "norm",
    "position",
    "residual",
    "softmax",
]
