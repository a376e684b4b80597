"""How wide text is, before any font is loaded, so that every box is made wide enough for its own.

The widths are those of DejaVu Sans, which runs wider than the fonts that a reader is likely to have
in its place: Helvetica, Arial, Segoe UI, Inter, Roboto.
"""

from __future__ import annotations

from dataclasses import dataclass
from unicodedata import combining, east_asian_width

NO_BREAK = "\u00a0"
_FIRST = " "
_REGULAR = (
    *(318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636),
    *(636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698),
    *(770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732),
    *(684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635),
    *(634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592),
    *(525, 636, 337, 636, 838),
)
_BOLD = (
    *(348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696),
    *(696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734),
    *(830, 683, 683, 821, 837, 372, 372, 775, 637, 995, 837, 850, 733, 850, 770, 720, 682, 812),
    *(774, 1103, 771, 724, 725, 457, 365, 457, 838, 500, 500, 675, 716, 593, 716, 678, 435, 716),
    *(712, 343, 343, 665, 343, 1042, 712, 687, 716, 716, 493, 595, 478, 712, 652, 924, 645, 652),
    *(582, 712, 365, 712, 838),
)
"""Advance widths of the characters from space to tilde, in thousandths of the font's size."""
_MONO = 602
_OTHER = 1000
"""As wide as the widest letter; what a font lacks comes from another that nobody knows here."""
_FULL_WIDTH = 1400


@dataclass(frozen=True, slots=True)
class Style:
    """How a text is set: its size in pixels, from line to line, upright or bold, which font."""

    size: float
    leading: float
    bold: bool = False
    mono: bool = False

    def width(self, text: str) -> float:
        """How many pixels a text takes at most."""
        return sum(map(self._advance, text)) * self.size / 1000

    def _advance(self, character: str) -> int:
        if combining(character):
            return 0
        if character == NO_BREAK:
            character = " "
        if east_asian_width(character) in "WF":
            return _FULL_WIDTH
        if self.mono:
            return _MONO if character.isascii() else _OTHER
        place = ord(character) - ord(_FIRST)
        widths = _BOLD if self.bold else _REGULAR
        return widths[place] if 0 <= place < len(widths) else _OTHER


STYLES = {
    "heading": Style(19, 28, bold=True),
    "caption": Style(11.5, 17),
    "frame": Style(12.5, 18, bold=True),
    "panel": Style(11, 15, bold=True),
    "title": Style(13, 17, bold=True),
    "note": Style(11, 14.5),
    "name": Style(11.5, 16, mono=True),
    "shape": Style(11, 15),
    "equation": Style(10.5, 14, mono=True),
    "tag": Style(10, 14, mono=True),
    "pill": Style(11, 15, mono=True),
    "token": Style(12, 16),
    "index": Style(9.5, 12),
    "badge": Style(13, 17, bold=True),
}


def wrap(text: str, style: str, width: float) -> tuple[str, ...]:
    """Break a text at spaces into lines of at most `width` pixels, as even as they can be.

    A longer word stands alone. `NO_BREAK` becomes an ordinary one.
    """
    longest = STYLES[style].width(text)
    lines = _filled(text, style, width)
    even = range(round(longest / len(lines)), round(width), 4)
    tries = (_filled(text, style, narrower) for narrower in even)
    best = next((found for found in tries if len(found) == len(lines)), lines)
    return tuple(line.replace(NO_BREAK, " ") for line in best)


def _filled(text: str, style: str, width: float) -> list[str]:
    """Each line as full as it can be."""
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and STYLES[style].width(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def shorten(text: str, most: int) -> str:
    """A text of at most so many characters, what is too much left out of its middle."""
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"
