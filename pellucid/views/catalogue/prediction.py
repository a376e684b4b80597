"""What the model says comes next: the highest logits, and the probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.trace.cell import Place
from pellucid.trace.trace import Trace
from pellucid.views.catalogue.places import amount, position_in, text_of
from pellucid.views.scene import Bars, Block


def top_logits(trace: Trace, *, position: Place = -1, top: int = 5) -> tuple[Block, ...]:
    """The highest scores after a position, by which tokens compete."""
    top, logits = amount("top", top, "token"), trace["logits"]
    at = position_in(logits, position)
    scores = logits.values[at]
    ids = highest(scores, top)
    return (
        Bars(
            f"Logits after {text_of(trace, at)}",
            tuple((token(trace, id), float(scores[id])) for id in ids),
            note=f"{len(ids)} of {len(scores):,}. Only the distances between logits count.",
            whole=True,
        ),
    )


def probabilities(trace: Trace, *, position: Place = -1, top: int = 10) -> tuple[Block, ...]:
    """The likeliest tokens after a position, and what is left for all others together."""
    top, probs = amount("top", top, "token"), trace["probs"]
    at = position_in(probs, position)
    shares = probs.values[at]
    # One token alone is called by its name.
    scores = trace["logits"].values[at]
    ids = highest(scores, len(shares) if len(shares) == top + 1 else top)
    items = [(token(trace, id), float(shares[id])) for id in ids]
    others = len(shares) - len(ids)
    if others:
        left = np.delete(shares, ids).sum(dtype=np.float64)
        items.append((f"the other {others:,}", float(left)))
    return (
        Bars(
            f"Probabilities after {text_of(trace, at)}",
            tuple(items),
            limit=1.0,
            whole=True,
        ),
    )


def highest(scores: NDArray[Any], top: int) -> list[int]:
    """The ids of the highest of the logits [vocab], best first, equal ones by lowest id."""
    return [int(id) for id in np.argsort(-scores, kind="stable")[:top]]


def token(trace: Trace, id: int) -> str:
    """How a token reads; its id where there is no tokenizer."""
    return str(id) if trace.vocabulary is None else trace.vocabulary[id]
