"""What one step of a generation leaves behind. Data only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pellucid.generation.filters import best
from pellucid.generation.stages import Filtered
from pellucid.showing import to_html

StopReason = Literal["end token", "stop string", "length"]
Logits = NDArray[np.floating[Any]]

CANDIDATES = 5


@dataclass(frozen=True)
class Candidate:
    """A token that could follow, as the model sees it before any filter."""

    id: int
    token: str
    logit: float
    probability: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Step:
    """One token chosen: what was seen, where it was read, what was likely, what was taken.

    sample: which text of the generation it belongs to, from 0.
    number: which step of that text it is, from 0.
    ids: the window the model saw, oldest first; the chosen id is not part of it.
    dropped: how many ids before the window had slid out of the model's context. Where any have,
        every id in the window has another position than before, and all of it was read anew.
    position: the index in `ids` whose logits were read: always the last.
    logits: [vocab], as the model gave them, read-only.
    filtered: the distribution drawn from, and what each stage before it removed.
    uniform: the random number, from [0, 1), that decided; None for a greedy choice.
    id, token: what was chosen.
    text: what it adds to the text: whole characters only, so that some steps add nothing and the
        next one more. "" where ids have no text.
    stopped: why the text ends with this step, or None where it goes on.
    label: names an id for display.
    """

    sample: int
    number: int
    ids: tuple[int, ...]
    dropped: int
    position: int
    # The large fields stay out of the repr, so that a step prints as a readable line.
    logits: Logits = field(repr=False)
    filtered: Filtered = field(repr=False)
    uniform: float | None
    id: int
    token: str
    text: str
    stopped: StopReason | None
    label: Callable[[int], str] = field(repr=False)

    @cached_property
    def top(self) -> tuple[Candidate, ...]:
        """The five likeliest tokens, best first, equal ones by lowest id; only possible ones."""
        return tuple(
            self.candidate(int(i))
            for i in best(self.filtered.stages[0].scores_before, CANDIDATES)
            if self.logits[i] > -np.inf
        )

    @property
    def probability(self) -> float:
        """The model's own probability of the chosen token, before any filter, as those in `top`.

        The probability with which it was drawn is `filtered.probabilities[id]`, 1 for a greedy
        choice.
        """
        return float(self.filtered.unfiltered[self.id])

    def _repr_html_(self) -> str:
        return to_html(self)

    def candidate(self, id: int) -> Candidate:
        """A token as the model sees it in this step."""
        probability = float(self.filtered.unfiltered[id])
        return Candidate(id, self.label(id), float(self.logits[id]), probability)
