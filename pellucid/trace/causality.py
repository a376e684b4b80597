"""Whether a position still depends on nothing after it, in a graph with edits."""

from __future__ import annotations

import numpy as np

from pellucid.decoder.graph import Graph, Node
from pellucid.ops.change import Change
from pellucid.ops.mean_over import MeanOver


def is_causal(graph: Graph, positions: int) -> bool:
    """Whether no edit lets the future in, so that a text can be read bit by bit.

    A mean over positions lets it in, and so does a number in the place of what was shut out.

    Args:
        graph: with edits, or without.
        positions: of the text that the edits are for.
    """
    future: dict[str, float] = {}
    for node in graph.nodes:
        if isinstance(node.op, MeanOver) and node.op.along_the_text:
            return False
        if node.op.kind == "causal_mask":
            future[node.name] = -np.inf
        elif node.dims[-2:] == ("query", "key") and node.inputs[0] in future:
            holds = future[node.inputs[0]]
            if isinstance(node.op, Change) and lets_in(node, node.op, graph, positions, holds):
                return False
            future[node.name] = 0.0 if node.op.kind == "softmax" else holds
    return True


def lets_in(node: Node, op: Change, graph: Graph, positions: int, holds: float) -> bool:
    """Whether a change makes anything else of what the future holds, −∞ or 0."""
    # With two positions there is a future at least.
    length = max(positions, 2)
    before = np.full((1, graph.sizes["head"], length, length), holds, dtype=np.float32)
    steps = op.cells.steps
    given = {
        "positions": np.arange(length)[None],
        "step": np.full((1, length), 0 if steps is None else steps[0]),
    }
    after, _ = op.forward([before, *(given[name] for name in op.reads)], ())
    return bool((after[..., *np.triu_indices(length, 1)] != holds).any())
