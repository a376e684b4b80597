"""From blocks to lines of text, and from lines to what rich can print."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.text import Text

from pellucid.views.matrix import Matrix
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
    Network,
    Panels,
    Points,
    Prose,
    Row,
    Scene,
    Table,
    Tree,
)
from pellucid.views.terminal.ascii import drawn, spelt_within
from pellucid.views.terminal.bars import draw_bars
from pellucid.views.terminal.curve import draw_curve
from pellucid.views.terminal.flow import draw_flow
from pellucid.views.terminal.graph_diagram import draw_graph_diagram
from pellucid.views.terminal.histogram import draw_histogram
from pellucid.views.terminal.matrix import draw_matrix
from pellucid.views.terminal.network import draw_network
from pellucid.views.terminal.page import Lines, Page
from pellucid.views.terminal.panels import draw_panels
from pellucid.views.terminal.points import draw_points
from pellucid.views.terminal.prose import draw_equation, draw_heading, draw_listing, draw_prose
from pellucid.views.terminal.row import flow
from pellucid.views.terminal.table import draw_table
from pellucid.views.terminal.tree import draw_tree


def draw(block: Block | Scene, page: Page) -> Lines:
    """Draw one block, or a scene, in lines no wider than the page, its words as it can write them.

    Signs of the drawing itself may be left that the page cannot write.
    """
    block = spelt_within(block, page.encoding)
    match block:
        case Heading():
            return draw_heading(block, page)
        case Prose():
            return draw_prose(block, page)
        case Equation():
            return draw_equation(block, page)
        case Matrix():
            return draw_matrix(block, page)
        case Table():
            return draw_table(block, page)
        case Bars():
            return draw_bars(block, page)
        case Curve():
            return draw_curve(block, page)
        case Listing():
            return draw_listing(block, page)
        case Tree():
            return draw_tree(block, page)
        case Flow():
            return draw_flow(block, page)
        case Network():
            return draw_network(block, page)
        case Histogram():
            return draw_histogram(block, page)
        case Panels():
            return draw_panels(block, page)
        case Points():
            return draw_points(block, page)
        case GraphDiagram():
            return draw_graph_diagram(block, page)
        case Row():
            return flow([draw(part, page) for part in block.blocks], page)
        case Scene():
            return draw_all((Heading(block.title), *block.blocks), page)


def draw_all(blocks: Iterable[Block | Scene], page: Page) -> Lines:
    """Draw blocks with an empty line between them, but none below the lowest headings."""
    lines: list[Text] = []
    above: Block | Scene | None = None
    for block in blocks:
        if lines and not (isinstance(above, Heading) and above.level > 2):
            lines.append(Text())
        lines.extend(draw(block, page))
        above = block
    return tuple(lines)


_COLOURS = {"standard": 16, "windows": 16, "256": 256, "truecolor": 256**3}
"""How many colours rich's colour systems have, by name."""


class Drawing:
    """Blocks as a rich renderable: drawn anew for the width and the colours of each console."""

    def __init__(self, blocks: Iterable[Block | Scene], *, lines: int = Page.lines) -> None:
        self.blocks = tuple(blocks)
        self.lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        page = Page(
            width=options.max_width,
            colours=0 if console.no_color else _COLOURS.get(console.color_system or "", 0),
            encoding=options.encoding,
            lines=self.lines,
        )
        for line in draw_all(self.blocks, page):
            if not page.colours:
                line.rstrip()
            for segment in line.render(console):
                yield Segment(drawn(segment.text, page.encoding), segment.style)
            yield Segment.line()

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(min(40, options.max_width), options.max_width)
