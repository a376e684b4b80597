"""A whole thing as a figure: what stands for it in every medium, drawn."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pellucid.errors import PellucidError
from pellucid.trace.cell import Place, find_places
from pellucid.trace.tensor import TracedTensor
from pellucid.views.figures.draw import draw_figure
from pellucid.views.figures.sizes import Size
from pellucid.views.figures.theme import Theme
from pellucid.views.matrix import Matrix
from pellucid.views.summary import blocks_of


def to_figure(
    thing: object,
    *,
    theme: str | Theme = "light",
    size: str | Size = "page",
    ax: Axes | None = None,
    **at: Place,
) -> Figure:
    """Draw a trace, a tensor, an explanation, or whatever else has a view.

    Args:
        thing: what to draw.
        theme, size, ax: as in `draw_figure`.
        **at: of a tensor, one place along some of its dims: `head=3`, `position="am"`.

    Raises:
        PellucidError: there is no such place; what is left has more than two dims; `at` is given
            for something that is no tensor; or what `draw_figure` raises.
        TypeError: there is no view of such a thing.
    """
    if not at:
        return draw_figure(blocks_of(thing), theme=theme, size=size, ax=ax)
    if not isinstance(thing, TracedTensor):
        places = ", ".join(f"{dim}={place!r}" for dim, place in at.items())
        raise PellucidError(f"A {type(thing).__name__} has no dims: leave out {places}.")
    matrix = Matrix.of(thing, title=None, kind=None, note=None, **find_places(thing, at))
    return draw_figure(matrix, theme=theme, size=size, ax=ax)
