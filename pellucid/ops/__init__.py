"""The mathematics: the forward and backward pass of each operation, side by side."""

from pellucid.ops import activation, attention, embedding, linear, loss, norm, position, residual

__all__ = [
    "activation",
    "attention",
    "embedding",
    "linear",
    "loss",
    "norm",
    "position",
    "residual",
]
