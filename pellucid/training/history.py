"""Epoch: what one pass over the examples left behind, by two measures of its loss."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """One pass over all examples, each measured before the step that it took part in.

    The two losses differ where batches are unequal. With 76 examples in batches of 16 the last
    has 12, and in the mean of means each of those 12 weighs 16 / 12 as much as any other. No model
    has a `loss` below the corpus's conditional entropy, steps within the epoch aside; the mean of
    means falls below it whenever the short batch happens to be an easy one.
    """

    number: int
    """Counted from 1."""
    loss: float
    """The sum over all targets, divided by their number, in nats."""
    mean_of_batches: float
    """The mean of the batches' means, in nats: what many training loops print."""
    learning_rate: float
    """At the last step of the epoch."""
