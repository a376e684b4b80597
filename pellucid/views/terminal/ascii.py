"""Drawings for an output that cannot write all of Unicode: each character's nearest plain one."""

from __future__ import annotations

from rich.cells import cell_len

# Marks of drawings are replaced one for one, so that columns keep their places.
_MARKS = {
    **dict.fromkeys("─━—–−", "-"),
    **dict.fromkeys("│┤", "|"),
    **dict.fromkeys("└┬", "+"),
    **dict.fromkeys("‘’", "'"),
    **dict.fromkeys("“”", '"'),
    **{"⋮": ":", "…": "~", "·": ".", "×": "x", "␣": "_", "█": "#"},
}
_WORDS = {"∞": "inf", "→": "->", "←": "<-", "≤": "<=", "≥": ">=", "√": "sqrt ", "Σ": "sum "}


def spelt(text: str, encoding: str) -> str:
    """Return `text` with every character that `encoding` cannot write replaced by some it can.

    What has no plain counterpart becomes question marks, as wide as it was.
    """
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return "".join(_spelt(character, encoding) for character in text)
    return text


def _spelt(character: str, encoding: str) -> str:
    try:
        character.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return _MARKS.get(character) or _WORDS.get(character) or "?" * cell_len(character)
    return character
