"""A graph as a picture: its boxes and lines, as `pellucid.views.diagram` lays them out."""

from __future__ import annotations

from matplotlib.axes import Axes

from pellucid.views.diagram import diagram
from pellucid.views.diagram.figure import PIXELS_PER_INCH, draw_picture
from pellucid.views.diagram.picture import Picture
from pellucid.views.figures.measure import Extent, room_of
from pellucid.views.figures.sizes import POINTS
from pellucid.views.figures.text import safe
from pellucid.views.figures.theme import Theme
from pellucid.views.graph_diagram import GraphDiagram

_LEAST = 0.5
"""A diagram can be read at half its size."""


def draw_graph_diagram(block: GraphDiagram, axes: Axes, theme: Theme) -> None:
    """Draw the diagram as large as the axes let it be, none of its sides stretched."""
    picture = laid_out(block)
    width, height = room_of(axes)
    axes.set_aspect("equal", anchor="NW")
    draw_picture(picture, axes, theme, min(width / picture.width, height / picture.height))


def graph_diagram_extent(block: GraphDiagram, room: float) -> Extent:
    """Its own size, or that of the room where it has less."""
    picture = laid_out(block)
    natural = picture.width * POINTS / PIXELS_PER_INCH
    width = min(natural, room)
    return Extent(width, width * picture.height / picture.width, natural * _LEAST, lowest=1.0)


def laid_out(block: GraphDiagram) -> Picture:
    """The boxes and lines in their places."""
    title = safe(block.title) if block.title else ""
    tokens = tuple(map(safe, block.tokens))
    return diagram(block.graph, depth=block.depth, tokens=tokens, title=title).picture
