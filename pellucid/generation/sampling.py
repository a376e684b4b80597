"""Sampling: from the logits of one position to one token id, with a record of every stage between.

All of it is float64 over the whole vocabulary, whatever the model computes in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.errors import PellucidError
from pellucid.generation import filters
from pellucid.generation.filters import Ids, Scores


@dataclass(frozen=True, eq=False)
class Stage:
    """What one filter did to a distribution: probabilities [vocab] before it and after it."""

    name: str
    setting: float
    before: Scores
    after: Scores

    @property
    def removed(self) -> Ids:
        """The ids that were possible before this stage and are not after it, in ascending order."""
        return np.flatnonzero((self.before > 0) & (self.after == 0))

    @property
    def removed_probability(self) -> float:
        """How much of the probability before this stage its removed ids held."""
        return float(self.before[self.removed].sum())


@dataclass(frozen=True, eq=False)
class Filtered:
    """The distribution that a token is drawn from, and the stages that led there, first to last."""

    stages: tuple[Stage, ...]

    @property
    def unfiltered(self) -> Scores:
        """The model's own probabilities [vocab]: softmax of the logits, before any stage."""
        return self.stages[0].before

    @property
    def probabilities(self) -> Scores:
        """The probabilities [vocab] to draw from, after every stage; they sum to 1."""
        return self.stages[-1].after


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How a token is chosen: settings that are checked when it is made.

    temperature: 0 is greedy, whatever the other settings; 1 leaves the distribution as it is.
    top_k: keep exactly this many tokens, ties by lowest id; None, or more than exist, keeps all.
    top_p: keep the fewest tokens that hold this share, in (0, 1], of what is left; None keeps all.

    Raises PellucidError for a setting that means nothing.
    """

    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None

    def __post_init__(self) -> None:
        if not (_is_number(self.temperature) and 0 <= self.temperature < np.inf):
            raise PellucidError(
                f"temperature={self.temperature!r} is not possible: "
                "give 0 for greedy, or a positive number."
            )
        if self.top_k is not None and not (_is_whole(self.top_k) and self.top_k >= 1):
            raise PellucidError(
                f"top_k={self.top_k!r} is not possible: give how many tokens to keep, 1 or more, "
                "or leave it out to keep all."
            )
        if self.top_p is not None and not (_is_number(self.top_p) and 0 < self.top_p <= 1):
            raise PellucidError(
                f"top_p={self.top_p!r} is not possible: give the share of probability to keep, "
                "above 0 and at most 1, or leave it out to keep all."
            )

    @classmethod
    def from_options(
        cls,
        *,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
    ) -> Sampling:
        """Return the sampling that a user's options ask for; an option left out is None.

        No option at all is greedy. A filter without a temperature means temperature 1, because a
        greedy choice would be the same without the filter.
        """
        if temperature is None:
            temperature = 0.0 if top_k is None and top_p is None else 1.0
        return cls(temperature=temperature, top_k=top_k, top_p=top_p)

    def notices(self, vocab_size: int) -> tuple[str, ...]:
        """Return what a user should be told once about these settings on such a vocabulary."""
        if self.temperature == 0 or self.top_k is None or self.top_k <= vocab_size:
            return ()
        return (f"top_k={self.top_k} is more than the {vocab_size} tokens there are: all stay.",)

    def filter(self, logits: ArrayLike, *, position: int | None = None) -> Filtered:
        """Return the distribution that these settings make of `logits` [vocab].

        A logit of −inf means never. `position` is where the logits were read; only errors name it.

        Raises PellucidError for logits that are NaN, +inf, all −inf, or not one row.
        """
        scores = _checked(logits, position)
        before = _frozen(filters.softmax(scores))
        stages = []
        for name, setting, apply in self._filters():
            scores = apply(scores)
            after = _frozen(filters.softmax(scores))
            stages.append(Stage(name, setting, before, after))
            before = after
        return Filtered(tuple(stages))

    def _filters(self) -> list[tuple[str, float, Callable[[Scores], Scores]]]:
        """The filters to apply, in order: (stage name, setting, function)."""
        chosen: list[tuple[str, float, Callable[[Scores], Scores]]] = [
            ("temperature", self.temperature, partial(filters.scale, temperature=self.temperature))
        ]
        if self.temperature == 0:
            return chosen
        if self.top_k is not None:
            chosen.append(("top_k", self.top_k, partial(filters.keep_top_k, k=self.top_k)))
        if self.top_p is not None:
            chosen.append(("top_p", self.top_p, partial(filters.keep_top_p, p=self.top_p)))
        return chosen


def draw(filtered: Filtered, rng: np.random.Generator) -> int:
    """Draw one token id; takes exactly one uniform number from `rng`."""
    return int(pick(filtered.probabilities, rng.random()))


def pick(probabilities: Scores, uniform: float | NDArray[np.float64]) -> Ids:
    """Return the id at which the cumulative probability passes `uniform`, in [0, 1), elementwise.

    This is the inverse of the cumulative distribution: a uniform random number becomes each id with
    that id's probability. Ids of probability 0 are never returned.
    """
    possible = np.flatnonzero(probabilities)
    cumulative = np.cumsum(probabilities[possible])
    # Scaling by the total, which rounding leaves near 1, keeps every uniform number below it.
    passed = np.searchsorted(cumulative, uniform * cumulative[-1], side="right")
    ids: Ids = possible[passed]
    return ids


def _checked(logits: ArrayLike, position: int | None) -> Scores:
    """Return `logits` as float64, or say what keeps them from being a distribution."""
    scores = np.asarray(logits, dtype=np.float64)
    where = "" if position is None else f" at position {position}"
    if scores.ndim != 1 or scores.size == 0:
        raise PellucidError(
            f"the logits{where} have shape {scores.shape}: give one row, a logit for every token."
        )
    if np.isfinite(scores).all():
        return scores
    wrong = np.flatnonzero(np.isnan(scores) | (scores == np.inf))
    if wrong.size:
        raise PellucidError(
            f"{wrong.size} of the {scores.size} logits{where} are NaN or +inf, the first is "
            f"{scores[wrong[0]]} for id {wrong[0]}: look in a trace of the same ids for the first "
            "tensor that is not finite."
        )
    if not np.isfinite(scores).any():
        raise PellucidError(
            f"the logits{where} are −inf for all {scores.size} tokens, so that none can follow: "
            "leave at least one of them finite."
        )
    return scores


def _frozen(values: Scores) -> Scores:
    values.flags.writeable = False
    return values


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
