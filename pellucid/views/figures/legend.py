"""A legend below a picture: what each kind of line or filling stands for."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes

from pellucid.views.figures.captions import GAP, NARROWEST
from pellucid.views.figures.measure import margins_of, moved, room_of
from pellucid.views.figures.style import points
from pellucid.views.figures.text import width, wrapped
from pellucid.views.figures.theme import Theme

_SAMPLE, _NEAR, _APART = 1.6, 0.5, 1.4
"""The length of a sample, its distance from its words, and that of entries, in sizes of type."""
Entry = tuple[Artist, str]
"""A sample, and the words for it."""


def draw_legend(entries: Sequence[Entry], axes: Axes, theme: Theme) -> None:
    """Draw the entries side by side, in as many rows as they need, below all that there is.

    Words that are longer than the room is wide are broken into lines.
    """
    size = points("small")
    taken = margins_of(axes)
    room = max(room_of(axes)[0] + taken.across, NARROWEST * points()) / size
    longest = (room - _SAMPLE - _NEAR) * size
    lines = [wrapped(words, longest, size) for _, words in entries]
    widest = max((width(line, size) for broken in lines for line in broken), default=0.0)
    held = int((room + _APART) // (widest / size + _SAMPLE + _NEAR + _APART))
    axes.legend(
        [sample for sample, _ in entries],
        ["\n".join(broken) for broken in lines],
        loc="upper left",
        bbox_to_anchor=(0.0, 0.0),
        bbox_transform=moved(axes, -taken.left, -(taken.bottom + GAP * points())),
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
