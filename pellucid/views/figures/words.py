"""Headings, prose, equations and listings: words alone, in axes that cannot be seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from matplotlib.axes import Axes

from pellucid.views import markup
from pellucid.views.figures.captions import room_of
from pellucid.views.figures.style import points
from pellucid.views.figures.text import LINE, safe, width, wrapped
from pellucid.views.figures.theme import Theme
from pellucid.views.labels import clean
from pellucid.views.scene import Equation, Heading, Listing, Prose

MEASURE = 46.0
"""The longest line of prose, in sizes of its type: longer ones are hard to read."""
HEADINGS = {1: 1.6, 2: 1.3, 3: 1.15}
"""Sizes of headings by level, in those of the text."""
PARAGRAPH = 0.5
"""Between two paragraphs, in lines."""

_Run = tuple[float, str, markup.Span]


def blank(axes: Axes) -> None:
    """Make axes a sheet to write on, in points from its top left corner."""
    across, down = room_of(axes)
    axes.set_axis_off()
    axes.set_xlim(0, across)
    axes.set_ylim(down, 0)


def draw_heading(heading: Heading, axes: Axes, theme: Theme) -> None:
    """A heading, the larger the higher its level."""
    blank(axes)
    size = HEADINGS.get(heading.level, 1.0) * points()
    lines = wrapped(safe(heading.text), room_of(axes)[0], size, bold=True)
    _write(axes, lines, size, color=theme.ink, fontweight="bold")


def draw_prose(prose: Prose, axes: Axes, theme: Theme) -> None:
    """Paragraphs of a readable width."""
    blank(axes)
    size = points()
    styles: dict[markup.SpanKind, dict[str, Any]] = {
        "text": {"color": theme.ink},
        "bold": {"color": theme.ink, "fontweight": "bold"},
        "code": {"color": theme.probability},
        "link": {"color": theme.positive},
    }
    for y, runs in prose_lines(prose, room_of(axes)[0], size):
        for x, text, span in runs:
            axes.text(x, y, text, va="top", fontsize=size, **styles[span.kind])


def draw_equation(equation: Equation, axes: Axes, theme: Theme) -> None:
    """A formula in plain text, line by line as it was written."""
    blank(axes)
    lines = equation_lines(equation, room_of(axes)[0])
    _write(axes, lines, points(), color=theme.ink, fontstyle="italic")


def draw_listing(listing: Listing, axes: Axes, theme: Theme) -> None:
    """Text that keeps its own lines and columns."""
    blank(axes)
    size = points("small")
    lines = listing_lines(listing)
    if listing.title:
        axes.text(0, 0, safe(listing.title), va="top", fontweight="bold", color=theme.ink)
    top = LINE * points() if listing.title else 0.0
    for place, line in enumerate(lines):
        axes.text(
            0, top + place * LINE * size, line, va="top", fontsize=size, family="DejaVu Sans Mono",
            color=theme.ink,
        )  # fmt: skip


def prose_lines(prose: Prose, room: float, size: float) -> list[tuple[float, list[_Run]]]:
    """Each line with its distance from the top, and its runs with theirs from the left."""
    room = min(room, MEASURE * size)
    lines: list[tuple[float, list[_Run]]] = []
    top = 0.0
    for spans in prose.paragraphs:
        for runs in _broken(spans, room, size):
            lines.append((top, runs))
            top += LINE * size
        top += PARAGRAPH * LINE * size
    return lines


def equation_lines(equation: Equation, room: float) -> list[str]:
    """The formula's own lines, broken where they are longer than the room."""
    return [
        line
        for written in equation.plain.splitlines()
        for line in wrapped(safe(written), room, points())
    ]


def listing_lines(listing: Listing) -> list[str]:
    """The lines as they stand."""
    return [safe(line.rstrip()) for line in listing.text.expandtabs(4).splitlines()]


def _broken(spans: Iterable[markup.Span], room: float, size: float) -> Iterator[list[_Run]]:
    """One paragraph as lines, broken between words."""
    runs: list[_Run] = []
    x = 0.0
    for span in spans:
        bold = span.kind == "bold"
        for place, word in enumerate(clean(span.text).split(" ")):
            x += width(" ", size) if place and x else 0.0
            across = width(safe(word), size, bold=bold)
            if x and x + across > room:
                yield runs
                runs, x = [], 0.0
            if word:
                runs.append((x, safe(word), span))
            x += across
    if runs:
        yield runs


def _write(axes: Axes, lines: list[str], size: float, **style: Any) -> None:
    for place, line in enumerate(lines):
        axes.text(0, place * LINE * size, line, va="top", fontsize=size, **style)
