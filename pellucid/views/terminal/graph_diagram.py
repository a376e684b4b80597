"""A graph on a terminal: rails for what flows, and words beside them."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from pellucid.views.diagram import diagram
from pellucid.views.graph_diagram import GraphDiagram
from pellucid.views.terminal.labels import fit
from pellucid.views.terminal.page import Lines, Page
from pellucid.views.terminal.prose import caption


def draw_graph_diagram(block: GraphDiagram, page: Page) -> Lines:
    """Draw the diagram under its title. Lines are never broken: a longer one is cut."""
    drawn = diagram(block.graph, depth=block.depth, tokens=block.tokens)
    lines = drawn.text(width=page.width, encoding=page.encoding).splitlines()
    return (
        *caption(block.title, page),
        *(Text(fit(line, min(cell_len(line), page.width))) for line in lines),
    )
