"""What a page is handed: the graph, its weights, a text, and what has been computed of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from pellucid.decoder.graph_data import graph_data
from pellucid.views.explorer.packing import pack

if TYPE_CHECKING:
    from pellucid.text.tokenizer import Tokenizer
    from pellucid.trace.trace import Trace

MOST_LIVE = 20 * 2**20
"""Bytes of float32 weights that a page may carry, to run any text by itself."""


def page_data(
    trace: Trace,
    *,
    title: str,
    prompt: str | None = None,
    tokenizer: Tokenizer | None = None,
    chapters: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """A trace and its model as plain data, in the form of `web/src/wire.ts`.

    Args:
        trace: what the page opens with.
        title: what the model is called.
        prompt: the text of the trace, where it was a text.
        tokenizer: the model's, so that other texts can be typed.
        chapters: of a tour.
    """
    weights = {name: parameter.values for name, parameter in trace.parameters.items()}
    live = 4 * sum(array.size for array in weights.values()) <= MOST_LIVE
    return {
        "version": 1,
        "title": title,
        "config": msgspec.to_builtins(trace.config),
        "graph": graph_data(trace.graph),
        "parameters": parameter_data(trace) if live else None,
        "tokenizer": None if tokenizer is None else tokenizer_data(tokenizer),
        "vocabulary": list(trace.vocabulary or ()),
        "prompt": {"text": prompt, "ids": list(trace.ids)},
        "trace": None if live and not trace.gradients else stored_trace(trace),
        "chapters": list(chapters),
        "server": "",
    }


def parameter_data(trace: Trace) -> dict[str, Any]:
    """The weights, each with its dims and title."""
    slots, numbers = pack({name: p.values for name, p in trace.parameters.items()})
    for name, slot in slots.items():
        parameter = trace.parameters[name]
        slot |= {"dims": list(parameter.dims), "title": parameter.title}
    return {"slots": slots, "bytes": numbers}


def stored_trace(trace: Trace) -> dict[str, Any]:
    """Every tensor of a trace, and its gradients where it has any."""
    arrays = {name: trace[name].values for name in trace.names}
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
