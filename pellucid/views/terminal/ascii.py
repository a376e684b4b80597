"""Text for an output that cannot write all of Unicode: plain letters, digits and marks.

Words and formulas are spelt out before they are measured and wrapped, as that changes their
width. What a drawing adds to them, such as rules, is replaced one for one, in its columns.
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar
from unicodedata import decomposition

from rich.cells import cell_len

from pellucid.decoder.graph import Graph

_Part = TypeVar("_Part")

_MARKS = {
    **dict.fromkeys("─━—–−‒‐‑", "-"),
    **dict.fromkeys("│┤├", "|"),
    **dict.fromkeys("└┬", "+"),
    **dict.fromkeys("‘’′", "'"),
    **dict.fromkeys("“”″", '"'),
    **{"⋮": ":", "…": "~", "·": ".", "×": "x", "␣": "_", "█": "#", "∂": "d", "≈": "~"},
    **{"⇥": ">", "∘": ".", "•": "*", "\u00a0": " "},
}
_WORDS = {
    **{"…": "...", "∞": "inf", "→": "->", "←": "<-", "↵": "\\n", "␍": "\\r", "⇥": "\\t"},
    **{"≤": "<=", "≥": ">=", "≠": "!=", "±": "+/-", "∈": " in ", "√": "sqrt "},
    **{"Σ": "sum ", "∑": "sum ", "∏": "product ", "∫": "integral ", "∇": "grad ", "Δ": "Delta"},
    **{"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "θ": "theta"},
    **{"λ": "lambda", "μ": "mu", "µ": "mu", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau"},
    **{"φ": "phi", "ω": "omega", "Φ": "Phi", "Ω": "Omega"},
}


def _characters(kind: str) -> dict[str, str]:
    """Raised or lowered letters, digits and signs, and the plain ones that they come from."""
    found = (chr(code) for code in range(0xA0, 0x3000))
    parts = ((character, decomposition(character).split()) for character in found)
    plain = {c: chr(int(rest[1], 16)) for c, rest in parts if rest[:1] == [kind] and len(rest) == 2}
    return {c: _MARKS.get(letter, letter) for c, letter in plain.items()}


_RAISED = {c: plain for c, plain in _characters("<super>").items() if plain.isascii()}
_LOWERED = {c: plain for c, plain in _characters("<sub>").items() if plain.isascii()}
_PIECE = re.compile(f"(?P<raised>[{''.join(_RAISED)}]+)|.", re.DOTALL)


def spelt(text: str, encoding: str) -> str:
    """Return `text` with what `encoding` cannot write spelt out: `kᵀ / √8` is `k^T / sqrt 8`.

    Subscripts become plain digits and letters. What has no plain counterpart becomes question
    marks, as wide as it was.
    """
    if _writes(encoding, text):
        return text
    return "".join(_spelt(match, encoding) for match in _PIECE.finditer(text))


def spelt_within(part: _Part, encoding: str) -> _Part:
    """Return a block, or a part of one, with every text in it spelt out."""
    return part if encoding.lower().startswith("utf") else _within(part, encoding)


def drawn(line: str, encoding: str) -> str:
    """Return a drawn line with what `encoding` cannot write replaced, all in the same columns."""
    if _writes(encoding, line):
        return line
    return "".join(c if _writes(encoding, c) else _MARKS.get(c) or "?" * cell_len(c) for c in line)


def _spelt(match: re.Match[str], encoding: str) -> str:
    """One character, or an exponent as a whole: one sign `^` stands before all of it."""
    piece = match[0]
    if _writes(encoding, piece):
        return piece
    if match["raised"]:
        return "^" + "".join(_RAISED[character] for character in piece)
    plain = _WORDS.get(piece) or _LOWERED.get(piece) or _MARKS.get(piece)
    return plain or "?" * cell_len(piece)


def _within(part: Any, encoding: str) -> Any:
    if isinstance(part, str):
        return spelt(part, encoding)
    if isinstance(part, tuple):
        return tuple(_within(item, encoding) for item in part)
    # A graph is no text: what is said of it is spelt out where it is drawn.
    if is_dataclass(part) and not isinstance(part, type | Graph):
        texts = {field.name: _within(getattr(part, field.name), encoding) for field in fields(part)}
        return replace(part, **texts)
    return part


def _writes(encoding: str, text: str) -> bool:
    """Whether the encoding has every character; one that is not known has none but ASCII's."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    except LookupError:
        return text.isascii()
    return True
