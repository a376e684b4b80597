"""From blocks to pictures: each drawn by its own drawer, a scene as one figure."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pellucid.views.figures.bars import draw_bars
from pellucid.views.figures.curve import draw_curve
from pellucid.views.figures.matrix import draw_matrix
from pellucid.views.figures.picture import Picture
from pellucid.views.figures.sizes import Size
from pellucid.views.figures.sizes import size as size_of
from pellucid.views.figures.style import style
from pellucid.views.figures.table import draw_table
from pellucid.views.figures.theme import Theme
from pellucid.views.figures.theme import theme as theme_of
from pellucid.views.figures.tree import draw_tree
from pellucid.views.figures.words import draw_equation, draw_heading, draw_listing, draw_prose
from pellucid.views.scene import (
    Bars,
    Block,
    Curve,
    Equation,
    Heading,
    Listing,
    Matrix,
    Prose,
    Row,
    Scene,
    Table,
    Tree,
)


def draw(block: Block, axes: Axes, theme: Theme) -> None:
    """Draw one block into axes, and nothing that is not in it. A `Row` is drawn part by part."""
    match block:
        case Heading():
            draw_heading(block, axes, theme)
        case Prose():
            draw_prose(block, axes, theme)
        case Equation():
            draw_equation(block, axes, theme)
        case Matrix():
            draw_matrix(block, axes, theme)
        case Table():
            draw_table(block, axes, theme)
        case Bars():
            draw_bars(block, axes, theme)
        case Curve():
            draw_curve(block, axes, theme)
        case Listing():
            draw_listing(block, axes, theme)
        case Tree():
            draw_tree(block, axes, theme)
        case _:
            raise TypeError(f"no picture of a {type(block).__name__}")


def draw_figure(
    blocks: Block | Scene | Sequence[Block],
    *,
    theme: str | Theme = "light",
    size: str | Size = "page",
    ax: Axes | None = None,
) -> Figure:
    """Draw blocks below each other in a figure of their own, or one block into `ax`."""
    shown = _parts(blocks)
    look, extent = theme_of(theme), size_of(size)
    with style(look, extent):
        if ax is not None:
            for block in shown:
                draw(block, ax, look)
            return ax.get_figure(root=True)  # type: ignore[return-value]
        figure = Picture(
            figsize=(extent.width, extent.height or 4 * len(shown)), layout="constrained"
        )
        for axes, block in zip(
            figure.subplots(len(shown), squeeze=False)[:, 0], shown, strict=True
        ):
            draw(block, axes, look)
    return figure


def _parts(blocks: Block | Scene | Sequence[Block]) -> list[Block]:
    if isinstance(blocks, Scene):
        return [Heading(blocks.title), *blocks.blocks]
    if isinstance(blocks, Row):
        return list(blocks.blocks)
    return [blocks] if isinstance(blocks, Block) else list(blocks)
