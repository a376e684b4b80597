"""Headings, prose, equations and listings: words alone, in axes that cannot be seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from matplotlib.axes import Axes

from pellucid.views import markup
from pellucid.views.figures.fonts import MONOSPACED, families, slant
from pellucid.views.figures.measure import Extent, room_of
from pellucid.views.figures.style import points
from pellucid.views.figures.text import LINE, safe, shortened, width, wrapped
from pellucid.views.figures.theme import Theme
from pellucid.views.scene import Equation, Heading, Listing, Prose

MEASURE = 46.0
"""The longest line of prose, in sizes of its type: longer ones are hard to read."""
HEADINGS = {1: 1.6, 2: 1.3, 3: 1.15}
"""Sizes of headings by level, in those of the text."""
PARAGRAPH = 0.5
"""Between two paragraphs, in lines."""

SMALLEST = 0.6
"""Lines of a listing that do not fit in type of this size, in that of the text, are cut."""

Words = Heading | Prose | Equation | Listing
Piece = tuple[str, str]
"""A part of a line, and its style."""


def blank(axes: Axes) -> None:
    """Make axes a sheet to write on, in points from its top left corner."""
    across, down = room_of(axes)
    axes.set_axis_off()
    axes.set_xlim(0, across)
    axes.set_ylim(down, 0)


def draw_words(words: Words, axes: Axes, theme: Theme) -> None:
    """Write each run of words at its place, in the style of what it is."""
    blank(axes)
    styles: dict[str, dict[str, Any]] = {
        "text": {"color": theme.ink},
        "bold": {"color": theme.ink, "fontweight": "bold"},
        "code": {"color": theme.probability},
        "link": {"color": theme.positive},
        "formula": {"color": theme.ink},
        "listing": {"color": theme.ink, "family": [MONOSPACED, *families()]},
    }
    for run in set_runs(words, room_of(axes)[0]):
        look = {"fontsize": run.size, **styles[run.style]}
        if run.style == "formula":
            look["fontstyle"] = slant(run.text)
        axes.text(run.x, run.y, run.text, va="top", **look)


def words_extent(words: Words, room: float) -> Extent:
    """The room that words take, in lines of a readable length."""
    runs = list(set_runs(words, room))
    across = max((run.x + run.across for run in runs), default=0.0)
    down = max((run.y + LINE * run.size for run in runs), default=0.0)
    return Extent(across + 0.5, down, min(across, 20 * points()), words=True)


@dataclass(frozen=True)
class Run:
    """Words of one style at a place, in points from the top left."""

    x: float
    y: float
    text: str
    size: float
    style: str = "text"

    @property
    def across(self) -> float:
        listing = self.style == "listing"
        return width(self.text, self.size, bold=_bold(self.style), monospaced=listing)


def set_runs(words: Words, room: float) -> Iterator[Run]:
    """Where everything is written in so many points across."""
    size = points()
    match words:
        case Heading():
            size *= HEADINGS.get(words.level, 1.0)
            yield from _below(wrapped(safe(words.text), room, size, bold=True), size, "bold")
        case Equation():
            lines = [safe(line) for line in words.plain.splitlines()]
            whole = [part for line in lines for part in wrapped(line, room, size)]
            yield from _below(whole, size, "formula")
        case Listing():
            titles = wrapped(safe(words.title), room, size, bold=True) if words.title else []
            yield from _below(titles, size, "bold")
            yield from _listing(words.text, room, size, len(titles) * LINE * size)
        case Prose():
            yield from _prose(words, min(room, MEASURE * size), size)


def _below(lines: list[str], size: float, style: str, *, top: float = 0.0) -> Iterator[Run]:
    for place, line in enumerate(lines):
        yield Run(0.0, top + place * LINE * size, line, size, style)


def _listing(text: str, room: float, size: float, top: float) -> Iterator[Run]:
    """The lines as they stand, in smaller type where they are long, cut where that is too small."""
    # Vector formats make one space of many, but not of those that do not break.
    lines = [safe(line.rstrip()).replace(" ", "\u00a0") for line in text.expandtabs(4).splitlines()]
    longest = max((width(line, 1.0, monospaced=True) for line in lines), default=0.0)
    small = max(min(points("small"), room / max(longest, 1.0)), SMALLEST * size)
    cut = [shortened(line, room, small, monospaced=True) for line in lines]
    yield from _below(cut, small, "listing", top=top)


def _prose(prose: Prose, room: float, size: float) -> Iterator[Run]:
    """The words of each paragraph in lines, those of one style that follow each other as one."""
    top = 0.0
    for spans in prose.paragraphs:
        for line in _lines(spans, room, size):
            x = 0.0
            for style, run in groupby(line, key=lambda piece: piece[1]):
                text = "".join(piece for piece, _ in run)
                # Vector formats drop the spaces at the ends of a text.
                before = width(" ", size) * text.startswith(" ")
                yield Run(x + before, top, text.strip(" "), size, style)
                x += width(text, size, bold=_bold(style))
            top += LINE * size
        top += PARAGRAPH * LINE * size


def _lines(spans: Iterable[markup.Span], room: float, size: float) -> Iterator[list[Piece]]:
    """A paragraph broken between words; words that no line holds are cut."""
    line: list[Piece] = []
    for word in _words(spans):
        if _across(word, size) > room:
            share = room / len(word)
            word = [(shortened(text, share, size, bold=_bold(kind)), kind) for text, kind in word]
        # The space belongs to what is written plainly.
        space = [(" ", word[0][1] if line and line[-1][1] == word[0][1] else "text")]
        longer = [*line, *space, *word] if line else word
        if line and _across(longer, size) > room:
            yield line
            longer = word
        line = longer
    if line:
        yield line


def _across(pieces: list[Piece], size: float) -> float:
    """How wide a line is, pieces of one style taken together, as they are drawn."""
    runs = groupby(pieces, key=lambda piece: piece[1])
    return sum(
        width("".join(text for text, _ in run), size, bold=_bold(kind)) for kind, run in runs
    )


def _bold(style: str) -> bool:
    return style == "bold"


def _words(spans: Iterable[markup.Span]) -> Iterator[list[Piece]]:
    """What stands between two spaces, as runs of one style: `Q` and a comma belong together."""
    word: list[Piece] = []
    for span in spans:
        for place, part in enumerate(map(safe, span.text.split(" "))):
            if place and word:
                yield word
                word = []
            if part:
                word.append((part, span.kind))
    if word:
        yield word
