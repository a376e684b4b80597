"""The mathematics: the forward and backward pass of each operation, side by side."""

from pellucid.ops import (
    activation,
    attention,
    dropout,
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
    "dropout",
    "embedding",
    "heads",
    "linear",
    "loss",
    "norm",
    "position",
    "residual",
    "softmax",
]
