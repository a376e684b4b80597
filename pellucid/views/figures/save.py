"""Figures as files: vector graphics with real text, or pixels."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from pellucid.errors import PellucidError
from pellucid.files import write_whole
from pellucid.views.figures.draw import draw_figure
from pellucid.views.figures.style import Settings
from pellucid.views.scene import Block, Scene

DOTS_PER_INCH = 150
FORMATS = ("png", "svg", "pdf")
_SETTINGS: Settings = {"svg.fonttype": "none", "svg.hashsalt": "pellucid", "pdf.fonttype": 42}
"""Text that can be selected and read aloud; the same bytes for the same picture."""
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def write_figure(
    picture: Figure | Block | Scene | Sequence[Block], path: str | PathLike[str], **options: Any
) -> Path:
    """Write a figure, or what `draw_figure` draws with `options`, as PNG, SVG or PDF.

    Returns:
        The path; its ending says the format.

    Raises:
        PellucidError: it cannot be written, or the ending stands for another format.
    """
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise PellucidError(f"{path} has no ending of a picture: give .png, .svg or .pdf.")
    figure = picture if isinstance(picture, Figure) else draw_figure(picture, **options)
    try:
        with matplotlib.rc_context(_SETTINGS):
            write_whole(
                path,
                lambda draft: figure.savefig(
                    draft, format=kind, dpi=DOTS_PER_INCH, metadata=_METADATA[kind]
                ),
            )
    except OSError as error:
        raise PellucidError(f"{path} cannot be written: {error.strerror or error}.") from None
    return path
