"""Picture: a matplotlib figure that shows itself in a notebook, and is the same file every time."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure

from pellucid.views.figures.style import DRAWN_WITH, Settings, held

SETTINGS: Settings = {
    **{"svg.fonttype": "none", "svg.hashsalt": "pellucid", "pdf.fonttype": 42},
    **{"savefig.facecolor": "auto", "savefig.edgecolor": "auto", "savefig.transparent": False},
    "savefig.bbox": None,
}
"""Text that can be selected and read aloud; the same bytes for the same picture; its own paper."""
DOTS_PER_INCH = 150
"""Of files; 340 pixels across would be too few for a column of a paper."""
METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""What files say of themselves besides the picture: nothing of the hour or the program."""


class Picture(Figure):
    """A figure that notebooks show without pyplot, which nothing here loads.

    It is drawn as it was laid out, whatever the user has set by then.
    """

    def draw(self, renderer: RendererBase) -> None:
        """Draw everything on it."""
        with held(DRAWN_WITH):
            super().draw(renderer)

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write it, as matplotlib does, with text as text; at 150 dots per inch unless given."""
        if options.get("dpi") is None:
            options["dpi"] = DOTS_PER_INCH
        with held(SETTINGS):
            super().savefig(fname, **options)

    def _repr_svg_(self) -> str:
        return as_svg(self)


def as_svg(figure: Figure) -> str:
    """The file of a figure as vector graphics with real text."""
    file = io.BytesIO()
    with held(SETTINGS):
        figure.savefig(file, format="svg", dpi="figure", metadata=METADATA["svg"])
    return file.getvalue().decode()
