"""From blocks to pictures: each drawn by its own drawer, a scene as one figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from pellucid.errors import PellucidError
from pellucid.views.figures.bars import bars_extent, draw_bars
from pellucid.views.figures.curve import curve_extent, draw_curve
from pellucid.views.figures.flow import draw_flow, flow_extent
from pellucid.views.figures.fonts import families
from pellucid.views.figures.graph_diagram import draw_graph_diagram, graph_diagram_extent
from pellucid.views.figures.histogram import draw_histogram, histogram_extent
from pellucid.views.figures.layout import Layout
from pellucid.views.figures.matrix import draw_matrix, matrix_extent
from pellucid.views.figures.measure import Extent, figure_of
from pellucid.views.figures.network import draw_network, network_extent
from pellucid.views.figures.panels import draw_panels, panels_extent
from pellucid.views.figures.picture import Picture
from pellucid.views.figures.points import draw_points, points_extent
from pellucid.views.figures.sizes import Size
from pellucid.views.figures.sizes import size as size_of
from pellucid.views.figures.style import style
from pellucid.views.figures.table import draw_table, table_extent
from pellucid.views.figures.theme import Theme
from pellucid.views.figures.theme import theme as theme_of
from pellucid.views.figures.tree import draw_tree, tree_extent
from pellucid.views.figures.words import draw_words, words_extent
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

Words = Heading | Prose | Equation | Listing


def draw(block: Block, axes: Axes, theme: Theme) -> None:
    """Draw one block into axes, and nothing that is not in it. Inside `style`.

    Raises TypeError for a `Row`, which needs axes for each of its parts.
    """
    match block:
        case Heading() | Prose() | Equation() | Listing():
            draw_words(block, axes, theme)
        case Matrix():
            draw_matrix(block, axes, theme)
        case Table():
            draw_table(block, axes, theme)
        case Bars():
            draw_bars(block, axes, theme)
        case Curve():
            draw_curve(block, axes, theme)
        case Flow():
            draw_flow(block, axes, theme)
        case Network():
            draw_network(block, axes, theme)
        case Histogram():
            draw_histogram(block, axes, theme)
        case Panels():
            draw_panels(block, axes, theme)
        case Points():
            draw_points(block, axes, theme)
        case GraphDiagram():
            draw_graph_diagram(block, axes, theme)
        case Tree():
            draw_tree(block, axes, theme)
        case Row():
            raise TypeError("a Row is not drawn into axes")


def extent(block: Block, room: float) -> Extent:
    """How large the axes of a block are to be, where there are so many points across."""
    match block:
        case Heading() | Prose() | Equation() | Listing():
            return words_extent(block, room)
        case Matrix():
            return matrix_extent(block, room)
        case Table():
            return table_extent(block, room)
        case Bars():
            return bars_extent(block, room)
        case Curve():
            return curve_extent(block, room)
        case Flow():
            return flow_extent(block, room)
        case Network():
            return network_extent(block, room)
        case Histogram():
            return histogram_extent(block, room)
        case Panels():
            return panels_extent(block, room)
        case Points():
            return points_extent(block, room)
        case GraphDiagram():
            return graph_diagram_extent(block, room)
        case Tree():
            return tree_extent(block, room)
        case Row():
            raise TypeError("a Row is not drawn into axes")


def draw_figure(
    blocks: Block | Scene | Sequence[Block | Scene],
    *,
    theme: str | Theme = "light",
    size: str | Size = "page",
    ax: Axes | None = None,
) -> Figure:
    """Draw blocks below each other, those of a `Row` beside each other.

    Args:
        blocks: one, several, or a scene, whose title stands above them.
        theme: "light" or "dark".
        size: "page" (7 inches wide at the most, as high as need be), "slide" (16:9), or "paper"
            (3.4 inches wide at the most: one column).
        ax: axes to draw into instead of a figure of its own; words that are no picture are left
            out, and the figure that the axes are on takes the colour of the theme's paper.

    Returns:
        The figure.

    Raises:
        PellucidError: there is no such theme or size, nothing to draw, or more than one picture
            for `ax`.
    """
    look, extent_of_figure = theme_of(theme), size_of(size)
    lines = _lines(blocks)
    if not lines:
        raise PellucidError("There is nothing to draw: no block was given.")
    with style(look, extent_of_figure):
        if ax is not None:
            return _draw_into(ax, lines, look)
        figure = Picture(figsize=(extent_of_figure.width, extent_of_figure.height or 10.0))
        layout = Layout(
            figure, extent_of_figure, lambda block, axes: draw(block, axes, look), extent
        )
        layout.arrange(lines)
    return figure


def _draw_into(ax: Axes, lines: list[list[Block]], theme: Theme) -> Figure:
    """The one picture among the blocks, into axes of the user's own."""
    pictures = [block for line in lines for block in line if not isinstance(block, Words)]
    if len(pictures) != 1:
        raise PellucidError(
            f"There are {len(pictures)} pictures to draw, and axes hold one: choose one of them, "
            "or leave ax out."
        )
    figure = figure_of(ax)
    figure.set_facecolor(theme.paper)
    ax.set_facecolor(theme.paper)
    _set_anew(ax)
    draw(pictures[0], ax, theme)
    return figure


def _set_anew(ax: Axes) -> None:
    """Let the words around axes be set as ours are: theirs were made with the user's settings.

    A dollar in a token would begin a formula, and a grid would lie over the cells.
    """
    ax.grid(visible=False)
    titles = [part for part in ax.get_children() if isinstance(part, Text)]
    for axis in (ax.xaxis, ax.yaxis):
        axis.reset_ticks()
        titles.append(axis.label)
    for words in titles:
        if words not in ax.texts:
            words.update({"parse_math": False, "usetex": False, "fontfamily": [*families()]})


def _lines(blocks: Block | Scene | Iterable[Block | Scene]) -> list[list[Block]]:
    """Blocks that stand beside each other in a list of their own, all from the top down."""
    match blocks:
        case Scene():
            return [[Heading(blocks.title)], *_lines(blocks.blocks)]
        case Row():
            return [[part for line in _lines(blocks.blocks) for part in line]]
        case _ if isinstance(blocks, Block):
            return [[blocks]]
        case _:
            return [line for block in blocks for line in _lines(block)]
