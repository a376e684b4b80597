"""The diagram block: a decoder's graph as boxes and what flows between them."""

from __future__ import annotations

from dataclasses import dataclass

from pellucid.decoder.graph import Graph


@dataclass(frozen=True, eq=False)
class GraphDiagram:
    """A graph to be drawn in one of the depths of `pellucid.views.diagram`.

    With `tokens`, the labels of a prompt, shapes have its length.
    """

    title: str | None
    graph: Graph
    depth: str = "overview"
    tokens: tuple[str, ...] = ()
