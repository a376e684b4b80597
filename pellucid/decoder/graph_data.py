"""A graph as plain data, for what runs it without Python: the explorer's page."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pellucid.decoder.graph import Fact, Graph, Node


def graph_data(graph: Graph) -> dict[str, Any]:
    """Everything that a graph is, in what JSON can hold.

    Returns:
        `nodes`, in the order in which they run, each with the `kind` of its operation and that
        operation's own fields as `settings`; `aliases`; `sizes`, the length of every dim.
    """
    return {
        "nodes": [node_data(node) for node in graph.nodes],
        "aliases": dict(graph.aliases),
        "sizes": dict(graph.sizes),
    }


def node_data(node: Node) -> dict[str, Any]:
    """One step."""
    return {
        **fact_data(node.fact),
        "kind": node.op.kind,
        "settings": asdict(node.op),  # type: ignore[call-overload]  # every operation is a dataclass
        "inputs": list(node.inputs),
        "parameters": list(node.parameters),
        "extras": [fact_data(extra) for extra in node.extras],
    }


def fact_data(fact: Fact) -> dict[str, Any]:
    """What is known of a tensor."""
    return {**asdict(fact), "dims": list(fact.dims)}
