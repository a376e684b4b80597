"""A graph on a page: boxes and lines, whose names and equations show under the pointer."""

from __future__ import annotations

from pellucid.views.diagram import diagram
from pellucid.views.graph_diagram import GraphDiagram
from pellucid.views.html.element import Html
from pellucid.views.html.picture import THEMES, in_both


def draw_graph_diagram(block: GraphDiagram) -> Html:
    """The diagram with its title, in light and in dark."""
    drawn = diagram(block.graph, depth=block.depth, tokens=block.tokens, title=block.title or "")
    return in_both(Html(drawn.svg(theme=theme).strip()) for theme in THEMES)
