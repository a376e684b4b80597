"""What the model says comes next: the highest logits, and the probabilities."""

from __future__ import annotations

import numpy as np

from pellucid.errors import PellucidError
from pellucid.trace.trace import Trace
from pellucid.views.catalogue.places import place, text_of
from pellucid.views.scene import Bars, Block


def top_logits(trace: Trace, *, position: int = -1, top: int = 5) -> tuple[Block, ...]:
    """The highest scores after a position, by which tokens compete."""
    scores = trace["logits"].values[place("position", position, len(trace.ids))]
    ids = best(trace, position, top)
    return (
        Bars(
            f"Logits after {text_of(trace, position)}",
            tuple((token(trace, id), float(scores[id])) for id in ids),
            note=f"{len(ids)} of {len(scores):,}. Only the distances between logits count.",
            whole=True,
        ),
    )


def probabilities(trace: Trace, *, position: int = -1, top: int = 10) -> tuple[Block, ...]:
    """The likeliest tokens after a position, and what is left for all others together."""
    shares = trace["probs"].values[place("position", position, len(trace.ids))]
    # One token alone is called by its name.
    ids = best(trace, position, len(shares) if len(shares) == top + 1 else top)
    items = [(token(trace, id), float(shares[id])) for id in ids]
    others = len(shares) - len(ids)
    if others:
        left = np.delete(shares, ids).sum(dtype=np.float64)
        items.append((f"the other {others:,}", float(left)))
    return (
        Bars(
            f"Probabilities after {text_of(trace, position)}",
            tuple(items),
            limit=1.0,
            whole=True,
        ),
    )


def best(trace: Trace, position: int, top: int) -> list[int]:
    """The ids of the highest logits, best first, equal ones by lowest id."""
    if top < 1:
        raise PellucidError(f"top={top}: show at least 1 token.")
    scores = trace["logits"].values[place("position", position, len(trace.ids))]
    return [int(id) for id in np.argsort(-scores, kind="stable")[:top]]


def token(trace: Trace, id: int) -> str:
    """How a token reads; its id where there is no tokenizer."""
    return str(id) if trace.vocabulary is None else trace.vocabulary[id]
