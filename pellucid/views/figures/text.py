"""Words on a figure: safe to draw, measured before they are drawn, shortened and wrapped to fit."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from pellucid.views import labels
from pellucid.views.figures.fonts import MONOSPACED, drawable, families

LINE = 1.3
"""From one line of text to the next, in sizes of its type."""
_LONGEST = 400
"""So many characters are wider than any figure."""


def safe(text: str) -> str:
    """Running text as one line that any font can draw."""
    return drawable(labels.clean(_within_reason(text)))


def label(text: str, room: float, size: float) -> str:
    """A label of at most `room` points, its spaces visible, shortened in the middle if need be."""
    return shortened(drawable(labels.label(_within_reason(text))), room, size)


def width(text: str, size: float, *, bold: bool = False, monospaced: bool = False) -> float:
    """How wide a line of text is, in points."""
    return _measured(text, bold, monospaced) * size


def shortened(
    text: str, room: float, size: float, *, bold: bool = False, monospaced: bool = False
) -> str:
    """`text`, or as much of its beginning and end as `room` points hold, with `…` between."""

    def fits(words: str) -> bool:
        return width(words, size, bold=bold, monospaced=monospaced) <= room

    if fits(text):
        return text
    low, high = 0, min(len(text), _LONGEST)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(_cut(text, middle)):
            low = middle
        else:
            high = middle - 1
    return _cut(text, low)


def wrapped(text: str, room: float, size: float, *, bold: bool = False) -> list[str]:
    """`text` in lines of at most `room` points, broken between words; longer words are cut."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".lstrip()
        if width(longer, size, bold=bold) <= room:
            lines[-1] = longer
        else:
            lines.append(shortened(word, room, size, bold=bold))
    return lines[1:] if len(lines) > 1 and not lines[0] else lines


def _cut(text: str, kept: int) -> str:
    """So many characters of `text`, a few more of its beginning than of its end."""
    tail = kept * 2 // 5
    end = text[len(text) - tail :] if tail else ""
    # A combining mark would stand on the sign of what is left out.
    while end and unicodedata.category(end[0]).startswith("M"):
        end = end[1:]
    return f"{text[: kept - tail]}…{end}"


def _within_reason(text: str) -> str:
    return text if len(text) <= _LONGEST else _cut(text, _LONGEST)


@lru_cache(maxsize=1 << 14)
def _measured(text: str, bold: bool, monospaced: bool) -> float:
    """The width in sizes of the type, without hinting: the same at every resolution."""
    size = 32.0
    family = [MONOSPACED, *families()] if monospaced else list(families())
    font = FontProperties(family=family, size=size, weight="bold" if bold else "normal")
    across, _, _ = text_to_path.get_text_width_height_descent(text, font, False)
    return float(across) / size
