"""Labels and titles with every character visible.

Text that is not ours may hold control characters, direction marks and lone surrogates. Here it
becomes one line in which each of them is spelt out.
"""

from __future__ import annotations

import unicodedata

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
