"""What is written on a box, and how much room that takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pellucid.views.diagram.lettering import STYLES, wrap
from pellucid.views.diagram.structure import Box, shape_words

TEXT_WIDTH = 214.0
PADDING = 11.0
TAG_PADDING = 5.0
TAG_GAP = 4.0
CIRCLE = 12.0
"""The radius of an addition."""


@dataclass(frozen=True, slots=True)
class Face:
    """Lines with their styles, and below them tags, one for each parameter, of one line or more."""

    lines: tuple[tuple[str, str], ...]
    tags: tuple[tuple[str, ...], ...] = ()

    @property
    def text_width(self) -> float:
        tags = (STYLES["tag"].width(line) + 2 * TAG_PADDING for tag in self.tags for line in tag)
        return max(*(STYLES[style].width(text) for style, text in self.lines), *tags, 0.0)

    @property
    def width(self) -> float:
        return self.text_width + 2 * PADDING

    @property
    def text_height(self) -> float:
        return sum(STYLES[style].leading for style, _ in self.lines)

    @property
    def height(self) -> float:
        return self.text_height + sum(map(tag_height, self.tags)) + 1.6 * PADDING


def tag_height(tag: tuple[str, ...]) -> float:
    """How much a tag adds to the height of its box."""
    return len(tag) * STYLES["tag"].leading + TAG_PADDING + TAG_GAP


def face(box: Box, depth: str) -> Face:
    """What is written on a box at a depth."""
    lines = tuple(_lines(box, depth))
    return Face(lines, tuple(wrap(each.words, "tag", TEXT_WIDTH) for each in box.parameters))


def _lines(box: Box, depth: str) -> Iterator[tuple[str, str]]:
    yield from _wrapped("title", box.title)
    if box.note and not box.adds:
        yield from _wrapped("note", box.note)
    yield "name", box.label
    yield from _wrapped("shape", shape_words(box.shape))
    if box.inside:
        yield from _wrapped("note", f"inside: {', '.join(map(str, box.inside))}")
    if depth == "deep" and not box.adds:
        for equation in box.equations:
            yield from _wrapped("equation", equation)


def _wrapped(style: str, text: str) -> Iterator[tuple[str, str]]:
    return ((style, line) for line in wrap(text, style, TEXT_WIDTH))
