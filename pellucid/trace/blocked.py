"""Whether every query has a key left that it may look at, once edits have shut some of them out."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from pellucid.decoder.graph import Graph, Node
from pellucid.errors import PellucidError
from pellucid.ops.change import Change
from pellucid.ops.evidence import label_at
from pellucid.ops.mean_over import MeanOver
from pellucid.ops.operation import Array


def check_that_queries_see(
    graph: Graph, tokens: Sequence[str], *, batch: int, steps: Collection[int]
) -> None:
    """Follow which scores are −∞ through a graph with edits, before anything is run.

    Args:
        graph: with the edits in it.
        tokens: of the text.
        batch: how many texts the edits are for.
        steps: of a generation, at which there are edits; the first reads the text, each of the
            others one token more, or the whole window where the text has begun to slide.

    Raises:
        PellucidError: a query would have no key left; it is named.
    """
    if not any(is_edit(node) and node.dims[-2:] == ("query", "key") for node in graph.nodes):
        return
    context = graph.sizes["position"]
    for step in sorted({0, *steps}):
        last = min(len(tokens) + step, context)
        slides = len(tokens) + step > context
        first = 0 if step == 0 or slides else last - 1
        given = {
            "positions": np.tile(np.arange(first, last), (batch, 1)),
            "lengths": np.full(batch, last),
            "step": np.full((batch, last - first), step),
        }
        # In a window that has slid, other tokens stand where those of the text did.
        follow(graph, given, () if slides else tokens)


def follow(graph: Graph, given: dict[str, Array], tokens: Sequence[str]) -> None:
    """Carry zeros, for any number, and −∞ from the scores of each block to its softmax."""
    positions = given["positions"]
    values: dict[str, Array] = dict(given)
    for node in graph.nodes:
        if node.op.kind == "scores":
            keys = int(positions.max()) + 1
            shape = (len(positions), graph.sizes["head"], positions.shape[1], keys)
            values[node.name] = np.zeros(shape, dtype=np.float32)
        elif node.inputs and node.inputs[0] in values and node.dims[-2:] == ("query", "key"):
            if node.op.kind == "softmax":
                check_rows(node, values.pop(node.inputs[0]), positions, tokens)
            elif is_edit(node) or node.op.kind == "causal_mask":
                values[node.name], _ = node.op.forward([values[n] for n in node.inputs], ())
            else:
                values[node.name] = values[node.inputs[0]]


def check_rows(node: Node, scores: Array, positions: Array, tokens: Sequence[str]) -> None:
    """Raise PellucidError for a query whose scores are all −∞."""
    blind = np.argwhere((scores == -np.inf).all(axis=-1))
    if len(blind):
        text, head, query = blind[0].tolist()
        place = int(positions[text, query])
        word = label_at(tuple(tokens), place) if place < len(tokens) else f"position {place}"
        raise PellucidError(
            f"The edits leave the query {word} no key in head {head} of {node.inputs[0]}: "
            f"a softmax over nothing is no number. Leave it one, its own say."
        )


def is_edit(node: Node) -> bool:
    """Whether a step was put in by an edit."""
    return isinstance(node.op, Change | MeanOver)
