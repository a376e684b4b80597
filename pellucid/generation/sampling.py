"""Sampling: from the logits of one position to one token id, with a record of every stage between.

All of it is float64 over the whole vocabulary, whatever the model computes in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from math import isfinite
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.errors import PellucidError
from pellucid.generation import filters
from pellucid.generation.filters import Ids, Scores
from pellucid.generation.stages import Filtered, Stage, frozen

Filter = tuple[str, float | None, Callable[[Scores], Scores]]
"""A filter ready to be applied: the name of its stage, its setting, and what it does to scores."""


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How a token is chosen: settings that are checked when it is made, in the order of their use.

    repetition_penalty: above 1 makes tokens that have come before less likely; None or 1 does not.
    temperature: 0 is greedy, whatever the settings after it; 1 leaves the distribution as it is.
    top_k: keep exactly this many tokens, ties by lowest id; None, or more than exist, keeps all.
    top_p: keep the fewest tokens that hold this share, in (0, 1], of what is left; None keeps all.
    min_p: keep the tokens that are at least this share, in [0, 1], as likely as the likeliest; None
        or 0 keeps all.

    Raises PellucidError for a setting that means nothing.
    """

    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repetition_penalty: float | None = None

    def __post_init__(self) -> None:
        if not (_is_number(self.temperature) and self.temperature >= 0):
            raise PellucidError(
                f"temperature={self.temperature!r} is not possible: "
                "give 0 for greedy, or a positive number."
            )
        if self.top_k is not None and not (is_whole(self.top_k) and self.top_k >= 1):
            raise PellucidError(
                f"top_k={self.top_k!r} is not possible: give how many tokens to keep, 1 or more, "
                "or leave it out to keep all."
            )
        if self.top_p is not None and not (_is_number(self.top_p) and 0 < self.top_p <= 1):
            raise PellucidError(
                f"top_p={self.top_p!r} is not possible: give the share of probability to keep, "
                "above 0 and at most 1, or leave it out to keep all."
            )
        if self.min_p is not None and not (_is_number(self.min_p) and 0 <= self.min_p <= 1):
            raise PellucidError(
                f"min_p={self.min_p!r} is not possible: give the share of the likeliest token's "
                "probability that a token needs, from 0, which keeps all, to 1."
            )
        penalty = self.repetition_penalty
        if penalty is not None and not (_is_number(penalty) and penalty > 0):
            raise PellucidError(
                f"repetition_penalty={penalty!r} is not possible: give a number above 1 to make "
                "repeats rarer, or leave it out."
            )

    @classmethod
    def from_options(
        cls,
        *,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        min_p: float | None = None,
        repetition_penalty: float | None = None,
    ) -> Sampling:
        """Return the sampling that a user's options ask for; an option left out is None.

        Greedy where nothing is drawn by lot: top-k, top-p and min-p without a temperature mean
        temperature 1, because a greedy choice would be the same without them. A repetition penalty
        has its effect on a greedy choice too, and leaves it greedy.
        """
        if temperature is None:
            temperature = 0.0 if top_k is None and top_p is None and min_p is None else 1.0
        return cls(
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            min_p=min_p,
            repetition_penalty=repetition_penalty,
        )

    @property
    def greedy(self) -> bool:
        """Whether the likeliest token is taken, with nothing left to chance."""
        return self.temperature == 0

    def notices(self, vocab_size: int) -> tuple[str, ...]:
        """Return what a user should be told once about these settings on such a vocabulary."""
        if self.greedy or self.top_k is None or self.top_k <= vocab_size:
            return ()
        return (f"top_k={self.top_k} is more than the {vocab_size} tokens there are: all stay.",)

    def filter(
        self,
        logits: ArrayLike,
        *,
        seen: Collection[int] = (),
        never: Collection[int] = (),
        position: int | None = None,
    ) -> Filtered:
        """Return the distribution that these settings make of `logits` [vocab].

        A logit of −inf means never. `seen` are the ids that have come before, for the repetition
        penalty; `never` are ids that must not be chosen. `position` is where the logits were read;
        only errors name it.

        Raises PellucidError for logits that are NaN, +inf, all −inf, or not one row.
        """
        before = frozen(_checked(logits, position))
        stages = []
        for name, setting, apply in self._filters(seen, never):
            after = frozen(_possible(apply(before), position))
            stages.append(Stage(name, setting, before, after))
            before = after
        return Filtered(tuple(stages))

    def _filters(self, seen: Collection[int], never: Collection[int]) -> Iterator[Filter]:
        """The filters to apply, in order."""
        if never:
            yield "never", None, partial(filters.leave_out, ids=_as_ids(never))
        if self.repetition_penalty is not None:
            penalty = self.repetition_penalty
            penalize = partial(filters.penalize, ids=_as_ids(seen), penalty=penalty)
            yield "repetition_penalty", penalty, penalize
        temperature = self.temperature
        yield "temperature", temperature, partial(filters.scale, temperature=temperature)
        if self.greedy:
            return
        if self.top_k is not None:
            yield "top_k", self.top_k, partial(filters.keep_top_k, k=self.top_k)
        if self.top_p is not None:
            yield "top_p", self.top_p, partial(filters.keep_top_p, p=self.top_p)
        if self.min_p is not None:
            yield "min_p", self.min_p, partial(filters.keep_min_p, p=self.min_p)


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
    """Return `logits` as float64 of their own, or say what keeps them from being a distribution."""
    scores = np.array(logits, dtype=np.float64)
    where = _at(position)
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
    return _possible(scores, position)


def _possible(scores: Scores, position: int | None) -> Scores:
    """Return `scores` if at least one token can follow."""
    if scores.max() == -np.inf:
        raise PellucidError(
            f"the logits{_at(position)} are −inf for all {scores.size} tokens that may be chosen, "
            "so that none can follow: leave at least one of them finite."
        )
    return scores


def _at(position: int | None) -> str:
    return "" if position is None else f" at position {position}"


def _as_ids(ids: Collection[int]) -> Ids:
    return np.fromiter(ids, dtype=np.int64, count=len(ids))


def _is_number(value: object) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return isfinite(float(value))
    except OverflowError:  # A whole number longer than any float.
        return False


def is_whole(value: object) -> bool:
    """Whether a value is a whole number, of Python's or NumPy's."""
    return isinstance(value, Integral) and not isinstance(value, bool)
