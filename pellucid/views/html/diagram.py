"""A decoder's graph as a diagram on a page."""

from __future__ import annotations

from pellucid.decoder.graph import Graph
from pellucid.views.diagram import diagram
from pellucid.views.html.element import Html
from pellucid.views.html.picture import THEMES, in_both


def draw_diagram(graph: Graph) -> Html:
    """One block's steps and what stands around the blocks: boxes with their tensors' names."""
    drawn = diagram(graph)
    return in_both(Html(drawn.svg(theme=theme).strip()) for theme in THEMES)
