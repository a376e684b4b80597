"""Labels and titles on a terminal: every character visible, every width known.

Text that is not ours may hold control characters, direction marks, lone surrogates and characters
of no or double width. Here it becomes text that takes exactly the columns it seems to.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

from rich.cells import cell_len, set_cell_size

from pellucid.text.visible import visible

_JOINERS = "\u200c\u200d"


def label(text: str) -> str:
    """Return a label with everything in it visible, the spaces at its ends too: `␣groot`."""
    body = text.strip(" ")
    before = len(text) - len(text.lstrip(" "))
    after = len(text) - before - len(body)
    return "␣" * before + clean(body) + "␣" * after


def clean(text: str) -> str:
    """Return running text as one line, with control and direction characters spelt out."""
    last = len(text) - 1
    shown = "".join(
        # A joiner joins two characters; at an end it would join the text to what stands beside it.
        character
        if character.isprintable() or (character in _JOINERS and 0 < place < last)
        else visible(character)
        for place, character in enumerate(text)
    )
    stands_alone = bool(shown) and unicodedata.category(shown[0]).startswith("M")
    return f"◌{shown}" if stands_alone else shown


def fit(text: str, width: int, align: Literal["left", "right"] = "left") -> str:
    """Return `text` in exactly `width` columns: padded, or cut with `…` where it is longer."""
    if cell_len(text) > width:
        text = set_cell_size(text, width - 1).rstrip() + "…" if width else ""
    padding = " " * (width - cell_len(text))
    return padding + text if align == "right" else text + padding
