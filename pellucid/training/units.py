"""A loss in the other units in which losses are given."""

from __future__ import annotations

from math import exp, inf, log, nan


def perplexity(loss: float) -> float:
    """e to a loss in nats per token; ∞ where that is beyond what a float holds.

    Among how many equally likely tokens a model with this loss as good as chooses.
    """
    try:
        return exp(loss)
    except OverflowError:
        return inf


def bits_per_byte(nats: float, n_bytes: int) -> float:
    """A text's whole loss in bits, over its bytes; NaN where there are none."""
    return nats / log(2) / n_bytes if n_bytes else nan
