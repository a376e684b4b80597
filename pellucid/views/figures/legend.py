"""A legend below a picture: what each kind of line or filling stands for."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes

from pellucid.views.figures.captions import GAP
from pellucid.views.figures.measure import margins_of, room_of
from pellucid.views.figures.style import points
from pellucid.views.figures.text import width
from pellucid.views.figures.theme import Theme

_SAMPLE, _NEAR, _APART = 1.6, 0.5, 1.4
"""The length of a sample, its distance from its words, and that of entries, in sizes of type."""
Entry = tuple[Artist, str]
"""A sample, and the words for it."""


def draw_legend(entries: Sequence[Entry], axes: Axes, theme: Theme) -> None:
    """Draw the entries side by side, in as many rows as they need, below all that there is."""
    size = points("small")
    taken, (across, down) = margins_of(axes), room_of(axes)
    widest = max((width(words, size) for _, words in entries), default=0.0)
    held = int((across / size + _APART) // (widest / size + _SAMPLE + _NEAR + _APART))
    axes.legend(
        [sample for sample, _ in entries],
        [words for _, words in entries],
        loc="upper left",
        bbox_to_anchor=(0.0, -(taken.bottom + GAP * points()) / down),
        ncols=max(min(held, len(entries)), 1),
        frameon=False,
        fontsize=size,
        labelcolor=theme.quiet,
        borderpad=0,
        borderaxespad=0,
        handlelength=_SAMPLE,
        handleheight=1.0,
        handletextpad=_NEAR,
        columnspacing=_APART,
    )
