"""What Python computed, written down for the page's engine to be held to."""

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import pellucid
from pellucid.decoder.graph_data import graph_data
from pellucid.model.model import Model
from pellucid.ops.operation import OPERATIONS
from pellucid.trace.edits import Edit
from pellucid.trace.trace import Trace

CELLS = 3
"""Of each tensor, so many are explained."""
LIMIT = 4
"""So many contributions of each explanation are written down."""


def write_fixture(
    folder: Path, name: str, model: Model, ids: list[int], edits: Sequence[Edit] = ()
) -> None:
    """A model, a text, every tensor of its trace, and explanations of random cells."""
    trace = model.trace(ids=ids, target="next", edits=edits)
    parameters, weights = packed(dict(model.parameters))
    values, numbers = packed({name: trace[name].values for name in trace.names})
    gradients, slopes = packed(dict(trace.gradients))
    wide = {name: array.astype("float64") for name, array in model.parameters.items()}
    exact = Model(model.config, wide, model.tokenizer).trace(ids=ids, target="next", edits=edits)
    _, exact_slopes = packed({name: exact.gradients[name] for name in trace.gradients})
    for slot, parameter in zip(parameters.values(), trace.parameters.values(), strict=True):
        slot |= {"dims": list(parameter.dims), "title": parameter.title}
    data = {
        "graph": graph_data(model.graph),
        "parameters": {"slots": parameters, "bytes": weights},
        "labels": {dim: list(words) for dim, words in trace.labels.items()},
        "ids": ids,
        "edits": json.loads(pellucid.edits_to_json(edits)),
        "targets": list(trace.targets or ()),
        "values": {"slots": values, "bytes": numbers},
        "gradients": {"slots": gradients, "bytes": slopes},
        "exact_gradients": exact_slopes,
        "explanations": explanations(trace, np.random.default_rng(len(name))),
    }
    (folder / f"{name}.json").write_text(json.dumps(data))


def packed(arrays: dict[str, np.ndarray]) -> tuple[dict[str, dict[str, Any]], str]:
    """Where each array lies in one row of float32 numbers, and these in base64."""
    slots, start = {}, 0
    for name, array in arrays.items():
        slots[name] = {"shape": list(array.shape), "offset": start}
        start += array.size
    flat = np.concatenate([np.ravel(array).astype("<f4") for array in arrays.values()])
    return slots, base64.b64encode(flat.tobytes()).decode()


def explanations(trace: Trace, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Of some cells of every tensor, parameter and input, and of every gradient.

    Each has the index of its cell.
    """
    found = []
    asked = [("value", name) for name in (*trace.names, *trace.parameters, "ids", "positions")]
    asked += [("gradient", name) for name in trace.gradients]
    for kind, name in asked:
        shape = trace.explainer.tensor(name).shape
        for _ in range(CELLS):
            index = tuple(int(rng.integers(size)) for size in shape)
            explained = trace.explainer.follow(kind, name, index)
            found.append({"index": list(index), "expected": explained.to_dict(LIMIT)})
    return found


def write_kinds(folder: Path) -> None:
    """The kinds of operations that there are."""
    (folder / "kinds.json").write_text(json.dumps(sorted(OPERATIONS)))
