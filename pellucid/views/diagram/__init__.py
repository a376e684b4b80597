"""Diagrams of a decoder, drawn from its graph: what is in it, and what flows where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pellucid.decoder.graph import Graph
from pellucid.views.diagram.drawing import Diagram
from pellucid.views.diagram.reading import read

__all__ = ["Diagram", "diagram", "svg"]


class HasGraph(Protocol):
    """A model, as far as a diagram needs to know one."""

    @property
    def graph(self) -> Graph: ...


def diagram(
    of: Graph | HasGraph,
    *,
    depth: str = "block",
    unfold: bool = False,
    tokens: Sequence[str] = (),
    title: str = "",
) -> Diagram:
    """The diagram of a graph, or of a model.

    Args:
        of: any decoder.
        depth: "overview" has a box for each part, "block" one for each step of mathematics, "deep"
            one for every step, with its parameters and its equation, and the loss.
        unfold: draw every block, and not one for all that are alike.
        tokens: labels of a prompt, to be written in; shapes then have its length.
        title: what stands above it.

    Raises:
        PellucidError: the depth is unknown, or the prompt is longer than the context.
    """
    graph = of if isinstance(of, Graph) else of.graph
    return Diagram(read(graph, depth=depth, unfold=unfold, tokens=tokens), title)


def svg(of: Graph | HasGraph) -> str:
    """A graph as a notebook shows it: one block's steps, light or dark as the reader's screen."""
    return diagram(of).svg()
