"""A histogram on a terminal: a block as high as its count for each bin, all over one axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len
from rich.text import Text

from pellucid.views.histogram import Histogram
from pellucid.views.labels import label
from pellucid.views.terminal import theme
from pellucid.views.terminal.axes import round_numbers, tick_texts
from pellucid.views.terminal.labels import fit
from pellucid.views.terminal.page import Lines, Page
from pellucid.views.terminal.prose import INDENT, caption, remark

_HEIGHT = 8
"""Rows of the only distribution; several have fewer, many one."""
_ROOMY = 6
_LONGEST_NAME = 28
_COLUMNS_A_BIN = 2
_BLOCKS = " ▁▂▃▄▅▆▇█"
_PLAIN = " .:-=+*#%@"


def draw_histogram(histogram: Histogram, page: Page) -> Lines:
    """Draw each distribution to a scale of its own, which is said beside it."""
    names = [label(each.name) for each in histogram.distributions]
    side = min(max(map(cell_len, names), default=0), _LONGEST_NAME, page.width // 3)
    said = [f"{each.total:,}" for each in histogram.distributions]
    room = page.width - INDENT - side - 4 - max(map(len, said), default=0)
    columns = [_columns(each.counts, room) for each in histogram.distributions]
    width = len(columns[0]) if columns else 1
    several = len(names) > 1
    height = _HEIGHT if not several else 2 if len(names) <= _ROOMY else 1
    lines = list(caption(histogram.title, page))
    for name, total, counts in zip(names, said, columns, strict=True):
        for row, blocks in enumerate(_rows(counts, height, page)):
            last = row == height - 1
            line = Text(" " * INDENT + fit(name if last else "", side) + " ")
            line.append("│", theme.RULE).append(blocks, theme.POSITIVE)
            line.append("│", theme.RULE).append(f" {total}" if last else "", theme.QUIET)
            lines.append(line)
    lines.extend(_foot(histogram, width, side + INDENT + 1, page))
    lines.extend(remark(_words(histogram, columns), page))
    if histogram.note:
        lines.extend(remark(histogram.note, page))
    for line in lines:
        line.truncate(page.width)
    return tuple(lines)


def _columns(counts: NDArray[Any], room: int) -> NDArray[Any]:
    """The counts of each column of the drawing: of a bin twice, of one, or of several together."""
    together = -(-len(counts) // max(room, 1))
    if together > 1:
        return np.asarray(np.add.reduceat(counts, np.arange(0, len(counts), together)))
    return np.repeat(counts, max(min(room // len(counts), _COLUMNS_A_BIN), 1))


def _words(histogram: Histogram, columns: list[NDArray[Any]]) -> str:
    """What the heights and the numbers at the right are, and what is not drawn."""
    fullest = max((int(counts.max()) for counts in columns), default=0)
    words = f"At the right: how many numbers. The highest column is {fullest:,} of them."
    if len(columns) > 1:
        words = """At the right: how many numbers. Each row to its own scale: its highest column is
            the fullest."""
    return " ".join(f"{words} {histogram.lost}".split())


def _rows(counts: NDArray[Any], height: int, page: Page) -> list[str]:
    """The rows of blocks, from the top; the fullest column fills them, the least filled shows."""
    signs = _BLOCKS if page.unicode else _PLAIN
    steps = len(signs) - 1
    full = max(int(counts.max()), 1)
    levels = np.where(counts > 0, np.maximum(np.rint(counts / full * height * steps), 1), 0)
    return [
        "".join(signs[int(min(max(level - row * steps, 0), steps))] for level in levels)
        for row in reversed(range(height))
    ]


def _foot(histogram: Histogram, width: int, side: int, page: Page) -> list[Text]:
    """The axis: a line with ticks, their numbers, and what they are."""
    low, high = float(histogram.edges[0]), float(histogram.edges[-1])
    ticks = round_numbers(low, high, max(width // 8, 1))
    rule, numbers = ["─"] * width, ""
    for tick, text in zip(ticks, tick_texts(ticks), strict=True):
        place = min(max(int((tick - low) / (high - low) * width), 0), width - 1)
        start = max(side + 1 + place - len(text) // 2, 0)
        if start > len(numbers) or not numbers:
            rule[place] = "┬"
            numbers = numbers.ljust(start) + text
    name = label(histogram.x_label)
    return [
        Text().append(" " * side + "└" + "".join(rule), theme.RULE),
        Text().append(fit(f"{numbers}  {name}", page.width).rstrip(), theme.QUIET),
    ]
