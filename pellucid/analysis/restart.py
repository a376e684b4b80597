"""Restart: the rest of a run, from one tensor on. What does not follow from it is not run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pellucid.decoder.graph import GRAPH_INPUTS, Graph
from pellucid.engine.engine import Engine
from pellucid.ops.operation import Array

LAST = "logits"


def read_beside(graph: Graph, name: str) -> tuple[str, ...]:
    """What the steps that follow from a tensor read beside it, on the way to the logits.

    A head's output is added to the stream: the stream before it is read beside it.
    """
    follows = {name}
    beside: dict[str, None] = {}
    for node in graph.needed_for(frozenset({LAST})):
        if follows.intersection(node.inputs):
            follows.add(node.name)
            beside.update(dict.fromkeys(node.inputs))
    return tuple(each for each in beside if each not in follows and each not in GRAPH_INPUTS)


def last_logits(engine: Engine, ids: Sequence[int], tensors: Mapping[str, Array]) -> Array:
    """Logits at the last position of a batch of runs over one text, each with tensors of its own.

    Args:
        engine: what runs.
        ids: of the text, `[position]`.
        tensors: by name, `[batch, *dims]`, from which all logits follow: one of them is what
            differs from run to run, the others are as in `read_beside`.

    Returns:
        `[batch, vocab]`.
    """
    batch = len(next(iter(tensors.values())))
    run = engine.forward(
        {"ids": np.tile(ids, (batch, 1)), **tensors},
        outputs=(LAST,),
        places=np.full(batch, len(ids) - 1),
    )
    return run[LAST][:, -1]
