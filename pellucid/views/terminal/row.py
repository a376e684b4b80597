"""Drawings side by side."""

from __future__ import annotations

from itertools import zip_longest

from rich.text import Text

from pellucid.views.terminal.page import Lines, Page

_GAP = 4


def flow(drawings: list[Lines], page: Page) -> Lines:
    """Set drawings beside each other, in order, as many to a row as the page is wide."""
    lines: list[Text] = []
    beside: list[Lines] = []
    used = 0
    for drawing in drawings:
        width = _width(drawing)
        if beside and used + _GAP + width > page.width:
            lines.extend((*_abreast(beside), Text()))
            beside, used = [], 0
        used += width + (_GAP if beside else 0)
        beside.append(drawing)
    return (*lines, *_abreast(beside))


def _abreast(drawings: list[Lines]) -> list[Text]:
    """The lines of drawings that fit beside each other."""
    widths = [_width(drawing) for drawing in drawings]
    lines = []
    for parts in zip_longest(*drawings, fillvalue=Text()):
        line = Text()
        for place, (part, width) in enumerate(zip(parts, widths, strict=True)):
            line.append(" " * _GAP if place else "").append_text(part)
            line.append(" " * (width - part.cell_len))
        lines.append(line)
    return lines


def _width(drawing: Lines) -> int:
    return max((line.cell_len for line in drawing), default=0)
