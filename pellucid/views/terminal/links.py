"""Lines between two columns on a terminal, in braille or in ASCII: the wider, the more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from rich.style import Style
from rich.text import Text

from pellucid.views.terminal.axes import DOTS_ACROSS, DOTS_DOWN
from pellucid.views.terminal.braille import Canvas
from pellucid.views.terminal.page import Page

WIDEST = 4
"""The width of the widest line, in dots."""
_PLAIN = {1: ".", 2: "-", 3: "=", 4: "#"}


@dataclass(frozen=True)
class Link:
    """A line from row `start` at the left to row `end` at the right.

    It is as many `dots` wide, from 1 to `WIDEST`, and has gaps where it is `broken`.
    """

    start: int
    end: int
    dots: int
    style: Style | None = None
    broken: bool = False


def draw_links(links: Iterable[Link], width: int, height: int, page: Page) -> list[Text]:
    """Draw the lines on `height` rows of `width` columns; where they meet, later ones are above."""
    if not page.unicode:
        return _plain(links, width, height)
    whole = Canvas(width, height)
    styles = np.full((height, width), None, dtype=object)
    for link in links:
        canvas = _line(link, width, height)
        styles[canvas.dots.reshape(height, DOTS_DOWN, width, DOTS_ACROSS).any(axis=(1, 3))] = (
            link.style
        )
        whole.dots |= canvas.dots
    rows = []
    for characters, row in zip(whole.rows(), styles, strict=True):
        text = Text()
        for character, style in zip(characters, row, strict=True):
            text.append(character, style)
        rows.append(text)
    return rows


def sample(dots: int, page: Page, *, broken: bool = False) -> str:
    """A short line of that width, as a legend shows it."""
    return draw_links([Link(0, 0, dots, broken=broken)], 3, 1, page)[0].plain


def _line(link: Link, width: int, height: int) -> Canvas:
    """One line, its dots evenly above and below its middle."""
    canvas = Canvas(width, height)
    last_row, last = height * DOTS_DOWN - 1, width * DOTS_ACROSS - 1
    above = (link.dots - 1) // 2
    for dot in range(link.dots):
        start, end = (
            min(max(row * DOTS_DOWN + 1 - above + dot, 0), last_row)
            for row in (link.start, link.end)
        )
        canvas.join((0, start), (last, end))
    if link.broken:
        canvas.dots[:, 2::3] = False
    return canvas


def _plain(links: Iterable[Link], width: int, height: int) -> list[Text]:
    """The same in plain characters: one a column, its slope where it changes rows."""
    characters = np.full((height, width), " ", dtype="U1")
    styles = np.full((height, width), None, dtype=object)
    for link in links:
        rows = np.linspace(link.start, link.end, width).round().astype(int)
        steps = np.diff(rows, append=rows[-1:])
        marks = np.where(steps > 0, "\\", np.where(steps < 0, "/", _PLAIN[link.dots]))
        shown = np.arange(width) % 3 < 2 if link.broken else np.ones(width, dtype=bool)
        place = rows[shown], np.flatnonzero(shown)
        characters[place] = marks[shown]
        styles[place] = link.style
    return [
        Text.assemble(*((str(c), style or "") for c, style in zip(row, owners, strict=True)))
        for row, owners in zip(characters, styles, strict=True)
    ]
