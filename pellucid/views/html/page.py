"""Scenes as a page of their own: one HTML file that needs nothing else, on screens and in print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from pellucid.errors import PellucidError
from pellucid.files import check_place, write_whole
from pellucid.views import markup
from pellucid.views.html.draw import draw
from pellucid.views.html.element import Html, element, joined
from pellucid.views.html.prose import draw_heading
from pellucid.views.html.sheet import Sheet, anchor
from pellucid.views.html.style import page_style
from pellucid.views.html.words import running, spans
from pellucid.views.matrix import Matrix
from pellucid.views.scene import Block, Heading, Row, Scene

SHEET = Sheet(rows=24, columns=24, across=96)
"""What a sheet of paper holds: wide matrices go on below."""
_LISTED = 2
"""The lowest headings that the table of contents lists."""
_NOTHING_ELSE = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""The page itself forbids the browser to run or to fetch anything."""


@dataclass(frozen=True)
class Entry:
    """A line of the table of contents: a heading, and the id that it has on the page."""

    heading: Heading
    id: str


def page(scenes: Sequence[Scene], *, note: str = "") -> Html:
    """Return a whole HTML document.

    Args:
        scenes: at least one. The first one's title is that of the page; the others are chapters.
        note: what stands at the foot of the page; it may hold the marks of prose.
    """
    first, *chapters = scenes
    sheet = replace(SHEET, anchors=frozenset(name for scene in scenes for name in names(scene)))
    seen: set[str] = set()
    entries = numbered(scenes)
    opening = joined(blocks(first, entries, replace(sheet, outline=1), seen))
    rest = [
        element("section", *blocks(scene, entries, replace(sheet, outline=2), seen))
        for scene in chapters
    ]
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_NOTHING_ELSE),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", running(first.title)),
        page_style(),
    )
    main = element("main", opening, *rest, footer(note, sheet))
    body = element("body", contents(numbered(scenes)), main, class_="pellucid")
    return Html(f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n")


def write_page(scenes: Sequence[Scene], path: str | PathLike[str], *, note: str = "") -> Path:
    """Write a page to a file; returns its path.

    Raises:
        PellucidError: it cannot be written.
    """
    path = Path(path)
    document = page(scenes, note=note)
    with refused(path):
        write_whole(path, lambda draft: draft.write_text(document, encoding="utf-8"))
    return path


def check_page(path: Path) -> None:
    """Raise PellucidError where a page could not be written, before the work on it begins."""
    with refused(path):
        check_place(path)


@contextmanager
def refused(path: Path) -> Iterator[None]:
    """Say which file the system refuses."""
    try:
        yield
    except OSError as error:
        raise PellucidError(f"{path} cannot be written: {error.strerror or error}.") from None


def blocks(scene: Scene, entries: Iterator[Entry], sheet: Sheet, seen: set[str]) -> Iterator[Html]:
    """The scene's title and blocks; before each tensor's first, a place for links to lead to."""
    for block in (Heading(scene.title), *scene.blocks):
        yield from (element("span", id=anchor(name)) for name in names(block) if name not in seen)
        seen.update(names(block))
        if isinstance(block, Heading) and block.level <= _LISTED:
            yield draw_heading(block, sheet, id=next(entries).id)
        else:
            yield draw(block, sheet)


def names(block: Block | Scene) -> tuple[str, ...]:
    """The tensors that a block shows, each once."""
    if isinstance(block, Matrix):
        return (block.name,) if block.name else ()
    if isinstance(block, Row | Scene):
        return tuple(dict.fromkeys(name for part in block.blocks for name in names(part)))
    return ()


def numbered(scenes: Sequence[Scene]) -> Iterator[Entry]:
    """The headings that are listed, in order, each with an id of its own."""
    place = 0
    for scene in scenes:
        for block in (Heading(scene.title), *scene.blocks):
            if isinstance(block, Heading) and block.level <= _LISTED:
                words = re.sub(r"[^a-z0-9]+", "-", block.text.lower()).strip("-")[:40]
                yield Entry(block, f"{place}-{words}" if words else f"{place}")
                place += 1


def contents(entries: Iterator[Entry]) -> Html:
    """The table of contents: chapters, and the headings within each."""
    lines = [
        element(
            "li",
            element("a", running(entry.heading.text), href=f"#{entry.id}"),
            class_=f"level-{entry.heading.level}",
        )
        for entry in entries
    ]
    return element("nav", element("ul", *lines), aria_label="Contents")


def footer(note: str, sheet: Sheet) -> Html:
    """What stands at the foot of the page, if anything."""
    return element("footer", element("p", spans(markup.spans(note), sheet))) if note else Html()
