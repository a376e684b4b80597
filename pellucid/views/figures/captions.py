"""The words around a picture: its title and formula above, its note below.

All of them stand at distances in points from the axes, wherever these lie in a figure.
"""

from __future__ import annotations

from matplotlib.axes import Axes

from pellucid.views import markup
from pellucid.views.figures.style import points
from pellucid.views.figures.text import LINE, safe, width, wrapped
from pellucid.views.figures.theme import Theme

GAP = 0.5
"""Between a picture and the words at its edges, in sizes of the text."""


def room_of(axes: Axes) -> tuple[float, float]:
    """Width and height of the axes in points."""
    box = axes.bbox
    scale = 72 / axes.get_figure(root=True).dpi  # type: ignore[union-attr]
    return float(box.width * scale), float(box.height * scale)


def head(
    axes: Axes,
    theme: Theme,
    title: str | None,
    *,
    name: str | None = None,
    formula: str | None = None,
    up: float = 0.0,
    left: float = 0.0,
    right: float = 0.0,
) -> None:
    """Write a title, and under it in small type the tensor's name and formula.

    `up`, `left` and `right` are the points that labels already take beyond the axes.
    """
    room = room_of(axes)[0] + left + right
    small, size = points("small"), points("title")
    base = up + GAP * points()
    lines = _beneath(name if name != title else None, formula, room, small)
    if lines:
        axes.annotate(
            "\n".join(lines), (0, 1), xycoords="axes fraction", xytext=(-left, base),
            textcoords="offset points", va="bottom", fontsize=small, color=theme.quiet,
            linespacing=1.2, annotation_clip=False,
        )  # fmt: skip
        base += len(lines) * LINE * small + 0.15 * size
    if title:
        text = "\n".join(wrapped(safe(title), room, size, bold=True))
        written = axes.set_title(
            text, loc="left", fontsize=size, fontweight="bold", color=theme.ink, y=1, pad=base
        )
        written.set_x(-left / room_of(axes)[0])


def foot(
    axes: Axes,
    theme: Theme,
    note: str | None,
    *,
    down: float = 0.0,
    left: float = 0.0,
    right: float = 0.0,
) -> None:
    """Write a note below, without its marks; `down` is what labels already take below the axes."""
    if not note:
        return
    size = points("small")
    lines = wrapped(safe(plain(note)), room_of(axes)[0] + left + right, size)
    axes.annotate(
        "\n".join(lines), (0, 0), xycoords="axes fraction", xytext=(-left, -down - GAP * points()),
        textcoords="offset points", va="top", fontsize=size, color=theme.quiet,
        annotation_clip=False,
    )  # fmt: skip


def plain(text: str) -> str:
    """Text without the marks of prose."""
    return "".join(span.text for span in markup.spans(text))


def _beneath(name: str | None, formula: str | None, room: float, size: float) -> list[str]:
    """Name and formula on one line where they fit beside each other."""
    parts = [safe(part) for part in (name, formula) if part]
    together = "     ".join(parts)
    if width(together, size) <= room:
        return [together] if together else []
    return [line for part in parts for line in wrapped(part, room, size)]
