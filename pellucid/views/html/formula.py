"""Formulas as MathML, which browsers set by themselves, without a script and without a network."""

from __future__ import annotations

import re

from pellucid.views.html.element import Html, element
from pellucid.views.html.words import shortened
from pellucid.views.labels import clean

_LONGEST = 48
_WORDS = re.compile(
    r"\\(?P<command>text|mathrm|operatorname)"
    r"\{(?P<words>(?:\\textbackslash\{\}|\\[\^~]\{\}|\\.|[^\\{}])*)\}",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\textbackslash\{\}|\\(.)(?:\{\})?", re.DOTALL)
_FIRST_PLACE = 0xE000
_SIGN = re.compile(r"(?<=</mo>)(?<![)\]]</mo>)(?<!&#x00029;</mo>)<mo>&#x02212;</mo>")
"""A minus behind another sign that closes nothing: it belongs to the number that follows."""
_PLACE = re.compile("<mi>([\ue000-\uf8ff])</mi>")


def formula(latex: str, *, block: bool = True) -> Html:
    """Return a formula of our own LaTeX as a `math` element.

    Words are set by us, each in the place of a letter that LaTeX has no meaning for: the library
    neither escapes them nor knows their own escapes.
    """
    from latex2mathml.converter import convert

    words: list[Html] = []

    def put_aside(match: re.Match[str]) -> str:
        words.append(set_words(match["command"], unescaped(match["words"])))
        return chr(_FIRST_PLACE + len(words) - 1)

    symbols = _WORDS.sub(put_aside, latex).replace("{aligned}", "{align*}")
    mathml = convert(symbols, display="block" if block else "inline")
    mathml = _SIGN.sub('<mo form="prefix">&#x02212;</mo>', mathml)
    return Html(_PLACE.sub(lambda place: words[ord(place[1]) - _FIRST_PLACE], mathml))


def set_words(command: str, words: str) -> Html:
    """Words within a formula: names upright, and the space around text kept."""
    shown = shortened(clean(words), _LONGEST)
    if command != "text":
        # One letter would be set in italics.
        return element("mi", shown, mathvariant="normal" if len(shown) == 1 else None)
    bare = shown.strip(" ")
    before, after = shown[: len(shown) - len(shown.lstrip(" "))], shown[len(shown.rstrip(" ")) :]
    return element("mtext", "\u00a0" * len(before) + bare + "\u00a0" * len(after) * bool(bare))


def unescaped(words: str) -> str:
    """Words as they were before they were escaped for LaTeX."""
    return _ESCAPED.sub(lambda match: match[1] or "\\", words)
