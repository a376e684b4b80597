"""Figures as files: vector graphics with real text, or pixels."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from matplotlib.figure import Figure

from pellucid.errors import PellucidError
from pellucid.files import write_whole
from pellucid.views.figures.draw import draw_figure
from pellucid.views.figures.picture import DOTS_PER_INCH, METADATA, SETTINGS
from pellucid.views.figures.sizes import Size
from pellucid.views.figures.style import held
from pellucid.views.figures.theme import Theme
from pellucid.views.scene import Block, Scene

FORMATS = ("png", "svg", "pdf")


def write_figure(
    picture: Figure | Block | Scene | Sequence[Block | Scene],
    path: str | PathLike[str],
    *,
    theme: str | Theme = "light",
    size: str | Size = "page",
) -> Path:
    """Write a figure, or the one of some blocks, as PNG, SVG or PDF.

    Args:
        picture: a figure as it is, or what `draw_figure` draws.
        path: of the file; its ending says the format. It is whole before it takes this name.
        theme, size: of blocks, as in `draw_figure`.

    Returns:
        The path.

    Raises:
        PellucidError: it cannot be written, or the ending stands for another format.
    """
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise PellucidError(f"{path} has no ending of a picture: give .png, .svg or .pdf.")
    figure = picture
    if not isinstance(figure, Figure):
        figure = draw_figure(figure, theme=theme, size=size)
    try:
        with held(SETTINGS):
            write_whole(
                path,
                lambda draft: figure.savefig(
                    draft, format=kind, dpi=DOTS_PER_INCH, metadata=METADATA[kind]
                ),
            )
    except OSError as error:
        raise PellucidError(f"{path} cannot be written: {error.strerror or error}.") from None
    return path
