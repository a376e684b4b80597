"""The words around a picture: its title, name and formula above, its note below.

They keep clear of what is there already, in points, so that they stay clear wherever the axes lie.
"""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from pellucid.views import markup
from pellucid.views.figures.measure import margins_of, moved, room_of
from pellucid.views.figures.style import points
from pellucid.views.figures.text import LINE, safe, width, wrapped
from pellucid.views.figures.theme import Theme

GAP = 0.6
"""Between a picture and the words at its edges, in sizes of the text."""
APART = "\u2003\u2003"
"""Between a name and a formula; vector formats make one space of several common ones."""
NARROWEST = 18.0
"""Words go beyond a picture that is narrower than so many sizes of the text."""


def caption(
    axes: Axes,
    theme: Theme,
    title: str | None,
    *,
    name: str | None = None,
    formula: str | None = None,
    note: str | None = None,
) -> None:
    """Write the words around what has been drawn into the axes. To be called last.

    `note` may hold the marks of prose; they are left out.
    """
    taken = margins_of(axes)
    room = max(room_of(axes)[0] + taken.across, NARROWEST * points())
    small, size = points("small"), points("title")
    up = taken.top + GAP * points()
    beneath = _beneath(name if name != title else None, formula, room, small)
    if beneath:
        words = "\n".join(beneath)
        at(axes, words, (0, 1), (-taken.left, up), size=small, va="bottom", color=theme.quiet)
        up += len(beneath) * LINE * small + 0.3 * size
    if title:
        words = "\n".join(wrapped(safe(title), room, size, bold=True))
        look: dict[str, Any] = {"fontsize": size, "fontweight": "bold", "color": theme.ink}
        written = axes.set_title(words, loc="left", y=1, **look)
        written.set_transform(moved(axes, -taken.left, up))
    if note:
        words = "\n".join(wrapped(safe(plain(note)), room, small))
        down = -taken.bottom - GAP * points()
        at(axes, words, (0, 0), (-taken.left, down), size=small, va="top", color=theme.quiet)


def at(
    axes: Axes,
    words: str,
    corner: tuple[float, float],
    offset: tuple[float, float],
    *,
    size: float,
    **look: Any,
) -> None:
    """Write words so many points from a place on the axes, (0, 0) to (1, 1)."""
    axes.annotate(
        words,
        corner,
        xycoords="axes fraction",
        xytext=offset,
        textcoords="offset points",
        fontsize=size,
        linespacing=LINE / 1.17,  # matplotlib counts in heights of DejaVu Sans.
        **look,
    )


def plain(text: str) -> str:
    """Text without the marks of prose."""
    return "".join(span.text for span in markup.spans(text))


def _beneath(name: str | None, formula: str | None, room: float, size: float) -> list[str]:
    """Name and formula, on one line where they fit beside each other."""
    parts = [safe(part) for part in (name, formula) if part]
    together = APART.join(parts)
    if width(together, size) <= room:
        return [together] if together else []
    return [line for part in parts for line in wrapped(part, room, size)]
