"""Which characters there is a shape for, and in which fonts.

DejaVu Sans comes with matplotlib; for other scripts, fonts that usual systems have are asked in
turn. What no font has is written as its code point, so that it is seen and nothing fails.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Literal

from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font

OURS, MONOSPACED = "DejaVu Sans", "DejaVu Sans Mono"
OTHERS = (
    *("Noto Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC"),
    *("Noto Sans JP", "Noto Sans KR", "PingFang SC", "Hiragino Sans", "Apple SD Gothic Neo"),
    *("Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei"),
    *("Droid Sans Fallback", "Noto Sans Bengali", "Noto Sans Tamil", "Noto Sans Ethiopic"),
    *("Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Thai"),
    *("Noto Sans Symbols", "Noto Sans Symbols 2", "Noto Emoji", "Segoe UI Emoji", "Segoe UI"),
    *("Arial Unicode MS", "Nirmala UI", "Symbola", "Unifont"),
)


@lru_cache
def families() -> tuple[str, ...]:
    """The fonts to draw with, in the order in which they are asked for a character."""
    installed = {font.name for font in fontManager.ttflist}
    # A reader of an SVG may have another sans-serif than the one that drew it.
    return (OURS, *(name for name in OTHERS if name in installed), "sans-serif")


@contextmanager
def quietly() -> Iterator[None]:
    """Without matplotlib's remarks that a font of another script has no bold letters."""
    logger = logging.getLogger("matplotlib.font_manager")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def drawable(text: str) -> str:
    """`text` with what no font has a shape for as its code point: `U+1F333`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shape, text))


def slant(text: str) -> Literal["normal", "italic"]:
    """The style of a formula: "italic" where all of it has a shape in italics, else "normal"."""
    italics = _shapes("italic")
    there = all(any(ord(letter) in shapes for shapes in italics) for letter in text)
    return "italic" if there else "normal"


@lru_cache(maxsize=1 << 16)
def _shape(character: str) -> str:
    code = ord(character)
    return character if any(code in shapes for shapes in _shapes()) else f"U+{code:04X}"


@lru_cache
def _shapes(style: Literal["normal", "italic"] = "normal") -> tuple[frozenset[int], ...]:
    """The code points that each font has a shape for."""
    return tuple(
        frozenset(get_font(findfont(FontProperties(family=[name], style=style))).get_charmap())
        for name in families()[:-1]
    )
