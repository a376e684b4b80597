"""From blocks to HTML: each drawn by its own drawer, a scene as a section."""

from __future__ import annotations

from collections.abc import Iterable

from pellucid.views.html.bars import draw_bars
from pellucid.views.html.element import Html, element, joined
from pellucid.views.html.graph_diagram import draw_graph_diagram
from pellucid.views.html.matrix import draw_matrix
from pellucid.views.html.picture import draw_picture
from pellucid.views.html.prose import draw_equation, draw_heading, draw_listing, draw_prose
from pellucid.views.html.sheet import Sheet
from pellucid.views.html.table import draw_table
from pellucid.views.html.tree import draw_tree
from pellucid.views.scene import (
    Bars,
    Block,
    Curve,
    Equation,
    Flow,
    GraphDiagram,
    Heading,
    Histogram,
    Listing,
    Matrix,
    Network,
    Panels,
    Points,
    Prose,
    Row,
    Scene,
    Table,
    Tree,
)


def draw(block: Block | Scene, sheet: Sheet) -> Html:
    """Draw one block, or a scene, all text in it escaped."""
    match block:
        case Heading():
            return draw_heading(block, sheet)
        case Prose():
            return draw_prose(block, sheet)
        case Equation():
            return draw_equation(block)
        case Matrix():
            return draw_matrix(block, sheet)
        case Table():
            return draw_table(block, sheet)
        case Bars():
            return draw_bars(block, sheet)
        case Listing():
            return draw_listing(block, sheet)
        case Tree():
            return draw_tree(block, sheet)
        case Curve() | Flow() | Histogram() | Network() | Panels() | Points():
            return draw_picture(block)
        case GraphDiagram():
            return draw_graph_diagram(block)
        case Row():
            return element(
                "div", draw_all(block.blocks, sheet.shared(len(block.blocks))), class_="row"
            )
        case Scene():
            return element("section", draw_all((Heading(block.title), *block.blocks), sheet))


def draw_all(blocks: Iterable[Block | Scene], sheet: Sheet) -> Html:
    """Draw blocks, one after the other."""
    return joined(draw(block, sheet) for block in blocks)
