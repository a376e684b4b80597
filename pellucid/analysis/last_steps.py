"""The last steps of a model, behind its residual stream, run on any state of the stream.

They are the final norm, where there is one, and the head with its factors and caps. The norm's
statistics are worked out anew of the state that it is given, so that each vector comes to the scale
which the head was trained for; with those of the last state an early, shorter vector would come out
shrunk. What is made of the last state is what the model says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pellucid.decoder.stream import stream
from pellucid.decoder.titles import local_name
from pellucid.errors import PellucidError, did_you_mean
from pellucid.ops.operation import Array
from pellucid.trace.editing import Editing
from pellucid.trace.trace import Trace

if TYPE_CHECKING:
    from pellucid.engine.engine import Engine
    from pellucid.model.model import Model

WORDS = {
    "resid_mid": "attention",
    "norm1": "norm1",
    "resid_post": "feed-forward",
    "norm2": "norm2",
}
"""What a block has done last, by the name of the state."""


class Guess(NamedTuple):
    """What is made of one state: `[position, vocab]` each."""

    logits: Array
    probs: Array


def engine_of(model: Model, trace: Trace) -> Engine:
    """What ran the trace: the model's own engine, with the edits of that run."""
    edited = Editing.of(trace.edits, model.graph, model.labelled_parameters, tokens=trace.tokens)
    return edited.engine(model.engine)


def guess_at(engine: Engine, trace: Trace, place: str) -> Guess:
    """What the last steps make of the state at a place.

    They run on as many positions at once as in the run itself, so that no sum is rounded otherwise.

    Raises:
        PellucidError: the stream has no state of that name.
    """
    places = stream(trace.config)
    if place not in places:
        near = did_you_mean(place, places) or f" It goes from {places[0]} to {places[-1]}."
        raise PellucidError(f'The residual stream has no state "{place}".{near}')
    last = trace.graph.resolve(places[-1])
    given = {"ids": np.array([trace.ids]), last: trace[place].values[None]}
    run = engine.forward(given, outputs=("logits", "probs"))
    return Guess(run["logits"][0], run["probs"][0])


def last_steps(trace: Trace) -> tuple[str, ...]:
    """The steps from the stream's last state to the logits, by name."""
    given = frozenset({trace.graph.resolve(stream(trace.config)[-1])})
    return tuple(node.name for node in trace.graph.needed_for(frozenset({"logits"}), given))


def in_words(place: str) -> str:
    """A state by its block and what that has done last: `3 attention`; `embedding` before them."""
    local = local_name(place)
    return "embedding" if local == place else f"{place.split('.')[1]} {WORDS[local]}"
