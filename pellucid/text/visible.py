"""Characters that leave no mark, made visible for display."""

import unicodedata

from pellucid.showing import SPACE

_SIGNS = {" ": SPACE, "\n": "↵", "\r": "␍", "\t": "⇥"}


def visible(text: str) -> str:
    """Return `text` for display: `␣` for a space, `↵` for a newline, U+… for what has no shape.

    A combining mark at the beginning stands on a dotted circle, as it would otherwise join
    whatever is printed before it.
    """
    shown = "".join(_SIGNS.get(char) or _named_if_unprintable(char) for char in text)
    leading_mark = text and unicodedata.category(text[0]).startswith("M")
    return f"◌{shown}" if leading_mark else shown


def _named_if_unprintable(char: str) -> str:
    return char if char.isprintable() else f"U+{ord(char):04X}"
