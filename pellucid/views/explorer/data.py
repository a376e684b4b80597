"""What a page is handed: the graph, its weights, a text, and what has been computed of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from pellucid.decoder.graph_data import graph_data
from pellucid.errors import PellucidError
from pellucid.views.explorer.film_data import film_data
from pellucid.views.explorer.packing import pack

if TYPE_CHECKING:
    from pellucid.text.tokenizer import Tokenizer
    from pellucid.trace.trace import Trace
    from pellucid.training.film import Film

MOST_LIVE = 20 * 2**20
"""Bytes of float32 weights that a page may carry, to run any text by itself."""
MOST_STORED = 100_000_000
"""Bytes of a trace in a page: browsers open it in seconds."""


def page_data(
    trace: Trace,
    *,
    title: str,
    prompt: str | None = None,
    tokenizer: Tokenizer | None = None,
    chapters: Sequence[dict[str, Any]] = (),
    server: str = "",
    film: Film | None = None,
) -> dict[str, Any]:
    """A trace and its model as plain data, in the form of `web/src/wire.ts`.

    Args:
        trace: what the page opens with.
        title: what the model is called.
        prompt: the text of the trace, where it was a text.
        tokenizer: the model's, so that other texts can be typed.
        chapters: of a tour.
        server: where one computes, its address, or `NOTEBOOK` for the kernel around the page; the
            page then carries neither weights nor trace.
        film: of the model's training; a page with a server has its steps, one that runs the model
            by itself their parameters as well.

    Raises:
        PellucidError: the trace is too large for a page.
    """
    live = not server and runs_alone(trace)
    # A page that runs the model has every tensor and every gradient of it by itself.
    stored = not server and not live
    return {
        "version": 1,
        "title": title,
        "config": msgspec.to_builtins(trace.config),
        "graph": graph_data(trace.graph),
        "parameters": parameter_data(trace, weights=live),
        "tokenizer": None if tokenizer is None else tokenizer_data(tokenizer),
        "vocabulary": list(trace.vocabulary or ()),
        "prompt": {"text": prompt, "ids": list(trace.ids)},
        "trace": stored_trace(trace) if stored else None,
        "chapters": list(chapters),
        "server": server,
        "film": None
        if film is None or stored
        else film_data(film, trace.parameters.arrays, weights=live),
    }


def runs_alone(trace: Trace) -> bool:
    """Whether a page can carry the weights of a trace's model, and so run any text by itself."""
    return 4 * sum(spec.size for spec in trace.parameters.specs.values()) <= MOST_LIVE


def parameter_data(trace: Trace, *, weights: bool) -> dict[str, Any]:
    """What is known of each parameter; with their numbers, if these are wanted."""
    slots: dict[str, dict[str, Any]] = {
        name: {"shape": list(spec.shape), "offset": 0}
        for name, spec in trace.parameters.specs.items()
    }
    numbers = None
    if weights:
        slots, numbers = pack({name: p.values for name, p in trace.parameters.items()})
    for name, slot in slots.items():
        fact = trace.parameters.facts[name]
        slot |= {"dims": list(fact.dims), "title": fact.title}
    return {"slots": slots, "bytes": numbers}


def stored_trace(trace: Trace) -> dict[str, Any]:
    """Every tensor of a trace, and its gradients where it has any.

    Raises:
        PellucidError: they are too many.
    """
    arrays = {name: trace[name].values for name in trace.names}
    size = 4 * sum(array.size for array in (*arrays.values(), *trace.gradients.values()))
    if size > MOST_STORED:
        raise PellucidError(
            f"This trace takes {size / 1e6:,.0f} MB, and a page holds {MOST_STORED / 1e6:,.0f} MB: "
            "take a shorter text, name the tensors to keep, or let `pellucid explore` serve it."
        )
    gradients = {f"gradient {name}": array for name, array in trace.gradients.items()}
    slots, numbers = pack(arrays | gradients)
    return {
        "ids": list(trace.ids),
        "tokens": list(trace.tokens),
        "values": {name: slots[name] for name in arrays},
        "targets": None if trace.targets is None else list(trace.targets),
        "gradients": {name: slots[f"gradient {name}"] for name in trace.gradients},
        "bytes": numbers,
    }


def tokenizer_data(tokenizer: Tokenizer) -> dict[str, Any]:
    """A tokenizer, and what a generation has to know of its special tokens."""
    special = [id for id in (tokenizer.pad_id, tokenizer.start_id) if id is not None]
    return {
        "json": json.loads(tokenizer.to_json()),
        "kind": tokenizer.kind,
        "start": list(tokenizer.start),
        "end": sorted(tokenizer.end_ids),
        "never": [id for id in special if id not in tokenizer.end_ids],
    }
