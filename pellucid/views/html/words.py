"""Words on a page: labels of tokens, running text with its marks, names that are not too long."""

from __future__ import annotations

import re

from pellucid.views import labels, markup
from pellucid.views.html.element import Html, element, joined
from pellucid.views.html.sheet import Sheet, anchor

_LONGEST_LABEL = 40
_LONGEST_WORD = 80
_OVERLONG = re.compile(r"\S{121,}")
_QUOTED = re.compile(r"""(?<![^\s(])("(?=[^\w\s"])\S{1,40})(?!\S)""")
"""A word that begins with a quote and then a sign, as `"<START>"` does."""
_ELEMENTS = {"bold": "strong", "code": "code"}


def label(text: str, longest: int = _LONGEST_LABEL) -> Html:
    """A label with every character visible, in its own direction of writing, whatever stands near.

    One longer than `longest` characters is shortened in the middle.
    """
    return element("bdi", shortened(labels.label(text), longest))


def running(text: str) -> str:
    """Running text as one line; words that no line could hold are shortened in the middle."""
    return _OVERLONG.sub(lambda word: shortened(word[0], _LONGEST_WORD), labels.clean(text))


def shortened(text: str, longest: int) -> str:
    """`text`, or its beginning and its end with `…` between, `longest` characters in all."""
    if len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - tail - 1]}…{text[-tail:]}"


def spans(parts: tuple[markup.Span, ...], sheet: Sheet) -> Html:
    """One paragraph's words with their marks."""
    return joined(span(part, sheet) for part in parts)


def span(part: markup.Span, sheet: Sheet) -> Html:
    """Words in one style; those that point at a tensor are a link where the page shows it."""
    words = unbroken(running(part.text))
    if part.kind in _ELEMENTS:
        return element(_ELEMENTS[part.kind], words)
    # A cell is found where its tensor is.
    name = (part.target or "").partition("[")[0]
    if name in sheet.anchors:
        return element("a", words, href=f"#{anchor(name)}")
    return words


def unbroken(words: str) -> Html:
    """Words whose quotes stay with the token behind them: browsers break a line before its `<`."""
    pieces = enumerate(_QUOTED.split(words))
    return joined(element("span", each, class_="whole") if n % 2 else each for n, each in pieces)
