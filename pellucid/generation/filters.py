"""The filters that stand between logits and a choice. Each turns one row of scores into another.

Scores are float64 [vocab] and act as logits: softmax(scores) is the distribution. An id that a
filter takes away gets the score −inf, so a filter needs to know nothing of those before it, and any
number of them compose in any order. None takes the last token away.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Ids = NDArray[np.int64]

# A share of probability counts as reached when only rounding is missing: eight tokens of 0.1 each
# add up to 0.7999999999999999.
_ROUNDING = 1e-12


def softmax(scores: Scores) -> Scores:
    """Return the probabilities [vocab] of `scores` [vocab], one of which at least is finite."""
    # Subtract the maximum: exp() of a large score overflows, exp() of a difference ≤ 0 cannot.
    weights: Scores = np.exp(_below_best(scores))
    weights /= weights.sum()
    return weights


def best(scores: Scores, k: int) -> Ids:
    """Return the ids of the `k` highest scores, best first, equal ones by lowest id.

    Exactly `k` ids come back, however many share the last place; all of them when there are fewer.
    """
    if k == 1:
        return np.array([scores.argmax()])
    if k >= scores.size:
        return np.argsort(-scores, kind="stable")
    # A partition finds the k-th score in linear time; sorting a large vocabulary takes far longer.
    lowest = np.partition(scores, -k)[-k]
    above = np.flatnonzero(scores > lowest)
    level = np.flatnonzero(scores == lowest)[: k - above.size]
    ids = np.concatenate([above, level])
    return ids[np.argsort(-scores[ids], kind="stable")]


def leave_out(scores: Scores, *, ids: Ids) -> Scores:
    """Take `ids` away, whatever their scores."""
    kept = scores.copy()
    kept[ids] = -np.inf
    return kept


def penalize(scores: Scores, *, ids: Ids, penalty: float) -> Scores:
    """Make `ids`, which have come before, less likely: once each, however often they have come.

    A positive score is divided by the penalty, a negative one multiplied with it, so that a penalty
    above 1 lowers both. This depends on where a model sets its zero, as the definition does.
    Source: Keskar et al. 2019, "CTRL", section 4.1.
    """
    penalized = scores.copy()
    seen = scores[ids]
    # A finite score stays finite, or a large penalty might leave no token at all.
    lowest = np.where(np.isneginf(seen), -np.inf, np.finfo(np.float64).min)
    with np.errstate(over="ignore"):
        changed = np.where(seen > 0, seen / penalty, seen * penalty)
    penalized[ids] = np.clip(changed, lowest, np.finfo(np.float64).max)
    return penalized


def scale(scores: Scores, *, temperature: float) -> Scores:
    """Divide by the temperature: below 1 sharpens the distribution, above 1 flattens it.

    At 0, the limit, only the best id stays: the lowest one, where several share the highest score.
    """
    if temperature == 0:
        return _keep(scores, best(scores, 1))
    # Subtracting the maximum first leaves the distribution as it is and pins the best score to 0:
    # a tiny temperature overflows towards −inf only, a probability of 0, to which it rounds anyway.
    with np.errstate(over="ignore"):
        return _below_best(scores) / temperature


def keep_top_k(scores: Scores, *, k: int) -> Scores:
    """Keep exactly the `k` best ids, equal ones by lowest id; all when there are fewer.

    Source: Fan, Lewis and Dauphin 2018, "Hierarchical Neural Story Generation".
    """
    return _keep(scores, best(scores, k))


def keep_top_p(scores: Scores, *, p: float) -> Scores:
    """Keep the fewest ids that hold a share `p` of probability, equal ones by lowest id.

    The id that reaches `p` stays, so at least one does; `p` = 1 takes nothing away.
    Source: Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration".
    """
    if p == 1:
        return scores
    probabilities = softmax(scores)
    # Ids below (1 − p) / vocab hold less than 1 − p together: sort only the others, they suffice.
    likely = np.flatnonzero(probabilities >= (1 - p) / scores.size)
    order = likely[best(scores[likely], likely.size)]
    held = np.cumsum(probabilities[order])
    reached = int(np.searchsorted(held, p * (1 - _ROUNDING)))
    return _keep(scores, order[: reached + 1])


def keep_min_p(scores: Scores, *, p: float) -> Scores:
    """Keep the ids whose probability is at least `p` times that of the likeliest.

    So the likeliest always stays; `p` = 0 takes nothing away. The share is of probabilities, not of
    scores. Source: Nguyen et al. 2024, "Turning Up the Heat: Min-p Sampling".
    """
    if p == 0:
        return scores
    probabilities = softmax(scores)
    threshold = p * (1 - _ROUNDING) * probabilities.max()
    return np.where(probabilities >= threshold, scores, -np.inf)


def _keep(scores: Scores, ids: Ids) -> Scores:
    kept = np.full_like(scores, -np.inf)
    kept[ids] = scores[ids]
    return kept


def _below_best(scores: Scores) -> Scores:
    # The difference of two finite float64 scores may overflow, to −inf, which is right.
    with np.errstate(over="ignore"):
        below: Scores = scores - scores.max()
    return below
