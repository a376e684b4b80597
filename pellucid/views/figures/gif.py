"""GifWriter: frames as GIF, all in one palette, so that what stays the same takes no room."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from matplotlib.animation import AbstractMovieWriter
from matplotlib.figure import Figure
from PIL import Image

from pellucid.views.figures.colours import mixed
from pellucid.views.figures.theme import Theme

_STEPS = 12
"""Shades of a colour from that of the paper: letters and lines have soft edges."""
_SHADES = 48
"""Of the scale of probabilities."""
_APART = 8
"""By how much of 255 two colours differ at least."""
_MOST = 256
"""Colours that a GIF has."""


class GifWriter(AbstractMovieWriter):
    """A writer of matplotlib. Its colours are those of a theme and the shades between them."""

    def __init__(self, theme: Theme, *, fps: int, last: float) -> None:
        """Take the frames of a second, and for how many seconds the last of all stays."""
        super().__init__(fps=fps)
        self.last = last
        self.palette = palette(theme)
        self.images: list[Image.Image] = []

    def setup(self, fig: Figure, outfile: Any, dpi: float | None = None) -> None:
        """Begin with a figure and a file."""
        super().setup(fig, outfile, dpi)
        self.images = []

    def grab_frame(self, **savefig_kwargs: Any) -> None:
        """Take the figure as it now is."""
        drawn = io.BytesIO()
        self.fig.savefig(drawn, **savefig_kwargs, format="rgba", dpi=self.dpi)
        image = Image.frombuffer("RGBA", self.frame_size, drawn.getvalue(), "raw", "RGBA", 0, 1)
        flat = image.convert("RGB").quantize(palette=self.palette, dither=Image.Dither.NONE)
        self.images.append(flat)

    def finish(self) -> None:
        """Write the file."""
        durations = [1000 / self.fps] * len(self.images)
        durations[-1] = max(durations[-1], 1000 * self.last)
        first, *rest = self.images
        first.save(
            Path(self.outfile), save_all=True, append_images=rest, duration=durations, loop=0
        )


def palette(theme: Theme) -> Image.Image:
    """A picture whose palette has the colours of a theme."""
    paper = theme.paper
    own = (theme.ink, theme.quiet, theme.grid, *theme.series, theme.positive, theme.negative)
    shades = [mixed(paper, colour, step / _STEPS) for colour in own for step in range(_STEPS + 1)]
    shades += [mixed(paper, theme.probability, step / _SHADES) for step in range(_SHADES + 1)]
    # Numbers stand in black or white on a cell.
    for ink in ("#000000", "#ffffff"):
        shades += [mixed(theme.probability, ink, step / _STEPS) for step in range(_STEPS + 1)]
    image = Image.new("P", (1, 1))
    image.putpalette([part for colour in apart(shades)[:_MOST] for part in colour])
    return image


def apart(colours: Iterable[str]) -> list[bytes]:
    """Those of the colours, from the first on, that can be told from all before them.

    Pillow takes colours that share their first bits for one, and so would miss the paper's.
    """
    kept: list[bytes] = []
    for colour in map(bytes.fromhex, (each[1:] for each in colours)):
        if all(
            max(abs(a - b) for a, b in zip(colour, other, strict=True)) >= _APART for other in kept
        ):
            kept.append(colour)
    return kept
