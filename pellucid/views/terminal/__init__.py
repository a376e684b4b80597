"""Scenes on a terminal: text in columns, with colour where the terminal has it."""

from __future__ import annotations

from rich.console import Console

from pellucid.views.summary import blocks_of
from pellucid.views.terminal.ascii import drawn
from pellucid.views.terminal.draw import Drawing, draw_all
from pellucid.views.terminal.page import Page

__all__ = ["Drawing", "Page", "render", "show", "to_text"]


def render(thing: object, *, lines: int = Page.lines) -> Drawing:
    """Return a rich renderable of a block, a scene, a trace, a tensor, or a sequence of them.

    A matrix or table longer than `lines` is reduced, with words that say so.
    """
    return Drawing(blocks_of(thing), lines=lines)


def show(thing: object, console: Console | None = None, *, lines: int = Page.lines) -> None:
    """Print what `render` takes to a console (standard output if None)."""
    (console or Console()).print(render(thing, lines=lines))


def to_text(thing: object, *, width: int | None = None) -> str:
    """Return plain text, without colours, `width` columns wide (the terminal's if None).

    Takes what `render` takes. No line ends in spaces, and the text in no line break.
    """
    page = Page.here(width=width)
    lines = draw_all(blocks_of(thing), page)
    return "\n".join(drawn(line.plain.rstrip(), page.encoding) for line in lines)
