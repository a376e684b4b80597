"""What the filters made of one row of logits, stage by stage. Data only."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from pellucid.generation.filters import Ids, Scores, softmax


@dataclass(frozen=True, eq=False)
class Stage:
    """What one filter did to the scores [vocab] that it was given.

    Scores act as logits: softmax makes them probabilities, and −inf means never. `setting` is None
    where the stage has none.
    """

    name: str
    setting: float | None
    scores_before: Scores = field(repr=False)
    scores_after: Scores = field(repr=False)

    @cached_property
    def before(self) -> Scores:
        """The probabilities [vocab] before this stage."""
        return frozen(softmax(self.scores_before))

    @cached_property
    def after(self) -> Scores:
        """The probabilities [vocab] after it."""
        return frozen(softmax(self.scores_after))

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


def frozen(values: Scores) -> Scores:
    """The same array, closed to writing."""
    values.flags.writeable = False
    return values
