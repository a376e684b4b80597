"""How far what comes next moved from one run to another, and which tokens moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pellucid.ops.operation import Array
from pellucid.trace.trace import Trace

LIKELIEST, MOVERS = 5, 8
"""How many tokens are named: the likeliest of each run, and those that moved most."""
AT_ONCE = 64
"""Positions whose whole distributions are in memory at one time."""


@dataclass(frozen=True, slots=True)
class TokenShift:
    """One token of the vocabulary, and its probability in either run."""

    id: int
    token: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """How much likelier it became; negative where it became less likely."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class PredictionShift:
    """What `a` and `b` say comes next at one position each, from the whole vocabulary.

    Attributes:
        text: the tokens that `a` read up to there.
        text_in_b: those of `b`.
        kl: KL(a ‖ b) = Σ p_a · log(p_a / p_b), in nats; ∞ where b rules out what a does not.
        before: the likeliest tokens in `a`, best first, equal ones by lowest id.
        after: the likeliest in `b`.
        movers: the tokens whose probability changed most, the largest change first.
        vocabulary: how many tokens there are.
    """

    text: tuple[str, ...]
    text_in_b: tuple[str, ...]
    kl: float
    before: tuple[TokenShift, ...]
    after: tuple[TokenShift, ...]
    movers: tuple[TokenShift, ...]
    vocabulary: int


def prediction_shift(
    a: Trace, b: Trace, *, position: int = -1, position_in_b: int | None = None
) -> PredictionShift | None:
    """How what comes next moved from `a` to `b`; None where one of them kept no prediction.

    Args:
        a, b: runs over one vocabulary.
        position: counted from the start, or from the end where it is negative.
        position_in_b: the same of `b`, where it is another.
    """
    in_b = position if position_in_b is None else position_in_b
    ours, theirs = log_probabilities(a, [position]), log_probabilities(b, [in_b])
    if ours is None or theirs is None or ours.shape != theirs.shape:
        return None
    before, after = np.exp(ours[0]), np.exp(theirs[0])
    change = np.abs(after - before)

    def named(scores: Array, most: int) -> tuple[TokenShift, ...]:
        return tuple(
            TokenShift(int(id), word(a, int(id)), float(before[id]), float(after[id]))
            for id in np.argsort(-scores, kind="stable")[:most]
            if scores[id] > 0
        )

    return PredictionShift(
        text=a.tokens[: position % len(a.tokens) + 1],
        text_in_b=b.tokens[: in_b % len(b.tokens) + 1],
        kl=float(divergence(ours, theirs)[0]),
        before=named(before, LIKELIEST),
        after=named(after, LIKELIEST),
        movers=named(change, MOVERS),
        vocabulary=len(before),
    )


def divergences(
    a: Trace, b: Trace, positions: Sequence[int], positions_in_b: Sequence[int]
) -> tuple[float, ...] | None:
    """KL(a ‖ b) of what comes next, in nats, at each pair of positions; None as above."""
    found: list[float] = []
    for start in range(0, len(positions), AT_ONCE):
        ours = log_probabilities(a, positions[start : start + AT_ONCE])
        theirs = log_probabilities(b, positions_in_b[start : start + AT_ONCE])
        if ours is None or theirs is None or ours.shape != theirs.shape:
            return None
        found += divergence(ours, theirs).tolist()
    return tuple(found)


def divergence(ours: Array, theirs: Array) -> Array:
    """Σ p · (log p − log q) for each row of log probabilities `[position, vocab]`.

    What p rules out adds nothing, as p · log p goes to 0 with p (Kullback and Leibler, 1951).
    """
    with np.errstate(invalid="ignore"):
        terms = np.exp(ours) * (ours - theirs)
    total: Array = np.where(np.isneginf(ours), 0.0, terms).sum(axis=-1)
    # Rounding may take the sum of a hair's breadth below 0, which no divergence is.
    return np.where(total < 0, 0.0, total)


def log_probabilities(trace: Trace, positions: Sequence[int]) -> Array | None:
    """Log probabilities `[position, vocab]` in float64, of the logits or else of what they gave."""
    at = list(positions)
    if "logits" in trace.values:
        logits = np.asarray(trace.values["logits"])[at].astype(np.float64)
        # Where every token is shut out there is no distribution, and all of this is NaN.
        with np.errstate(invalid="ignore"):
            below: Array = logits - logits.max(axis=-1, keepdims=True)
            found: Array = below - np.log(np.exp(below).sum(axis=-1, keepdims=True))
        return found
    if "probs" in trace.values:
        with np.errstate(divide="ignore"):
            found = np.log(np.asarray(trace.values["probs"])[at].astype(np.float64))
        return found
    return None


def word(trace: Trace, id: int) -> str:
    """How a token reads; its id where there is no tokenizer."""
    return str(id) if trace.vocabulary is None else trace.vocabulary[id]
