"""Labels and titles on a terminal: every character visible, every width known.

Text that is not ours may hold control characters, direction marks, lone surrogates and characters
of no or double width. Here it becomes text that takes exactly the columns it seems to.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

from rich.cells import cell_len, set_cell_size

_JOINERS = "\u200c\u200d"
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_COMBINING = frozenset({"Mn", "Mc", "Me"})


def visible(text: str) -> str:
    """Return `text` with what cannot be seen spelt out: newline as `␊`, U+202E as `\\u202e`.

    Spaces at either end become `␣`; a combining mark with nothing before it stands on `◌`.
    """
    body = text.strip(" ")
    before = len(text) - len(text.lstrip(" "))
    after = len(text) - before - len(body)
    return "␣" * before + clean(body) + "␣" * after


def clean(text: str) -> str:
    """Return running text as one line, with control and direction characters spelt out."""
    last = len(text) - 1
    shown = "".join(
        # A joiner joins two characters; at an end it would join the text to what stands beside it.
        character if character in _JOINERS and 0 < place < last else _seen(character)
        for place, character in enumerate(text)
    )
    return "◌" + shown if shown and unicodedata.category(shown[0]) in _COMBINING else shown


def fit(text: str, width: int, align: Literal["left", "right"] = "left") -> str:
    """Return `text` in exactly `width` columns: padded, or cut with `…` where it is longer."""
    if cell_len(text) > width:
        text = set_cell_size(text, width - 1).rstrip() + "…" if width else ""
    padding = " " * (width - cell_len(text))
    return padding + text if align == "right" else text + padding


def _seen(character: str) -> str:
    """The character, or a spelling of it where it would not be seen."""
    if character == " " or unicodedata.category(character) not in _HIDDEN:
        return character
    if character < " ":
        return chr(0x2400 + ord(character))
    if character == "\x7f":
        return "␡"
    return character.encode("unicode_escape").decode("ascii")
