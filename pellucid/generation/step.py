"""What one step of a generation leaves behind. Data only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pellucid.generation.sampling import Filtered

StopReason = Literal["end token", "length"]


@dataclass(frozen=True)
class Candidate:
    """A token that could follow, as the model sees it before any filter."""

    id: int
    token: str
    logit: float
    probability: float


@dataclass(frozen=True, eq=False)
class Step:
    """One token chosen: what was seen, where it was read, what was likely, what was taken.

    ids: the window the model saw, oldest first; the chosen id is not part of it.
    dropped: how many ids before the window had slid out of the model's context.
    position: the index in `ids` whose logits were read: always the last.
    logits: [vocab], as the model gave them, read-only.
    top: the five likeliest tokens, best first, equal ones by lowest id; fewer where fewer are
        possible, for those with a logit of −inf are left out.
    id, token: what was chosen.
    probability: the model's own probability of the chosen token, on the same footing as those in
        `top`: softmax of the logits before temperature and filters. The probability with which it
        was drawn is `filtered.probabilities[id]`, 1 for a greedy choice.
    filtered: the distribution drawn from, and what each stage before it removed.
    stopped: why the generation ends with this step, or None where it goes on.
    """

    ids: tuple[int, ...]
    dropped: int
    position: int
    # The two large fields stay out of the repr, so that a step prints as a readable line.
    logits: NDArray[np.floating[Any]] = field(repr=False)
    top: tuple[Candidate, ...]
    id: int
    token: str
    probability: float
    filtered: Filtered = field(repr=False)
    stopped: StopReason | None
