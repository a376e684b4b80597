"""HTML, element by element: text is escaped where it is put in, so that none can become markup."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from pellucid.text.visible import visible

_VOID = frozenset({"br", "col", "hr", "img", "link", "meta"})


class Html(str):
    """Markup that is finished. Every other string is text."""

    __slots__ = ()


def element(tag: str, /, *content: str, **attributes: str | int | None) -> Html:
    """One element around its content: what is not `Html` in it is text.

    Attributes that are None are left out; an underscore at the end of a name goes (`class_`), and
    one within it is a hyphen.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(readable(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if tag in _VOID:
        return Html(f"<{tag}{given}>")
    return Html(f"<{tag}{given}>{joined(content)}</{tag}>")


def joined(content: Iterable[str]) -> Html:
    """Pieces of markup and text, one after the other, as markup."""
    return Html("".join(piece if isinstance(piece, Html) else text(piece) for piece in content))


def text(words: str) -> Html:
    """Words as they are to be read, whatever stands in them."""
    return Html(escape(readable(words), quote=False))


def readable(words: str) -> str:
    """Words with characters spelt out that leave no mark or turn the direction of others.

    Line breaks stay: they are white space to a browser, but for text that keeps its lines.
    """
    if words.isprintable():
        return words
    return "".join(c if c.isprintable() or c in _KEPT else visible(c) for c in words)


_KEPT = "\n\t\u00a0\u200d\u200c"
"""Not printable to Python, but harmless: white space, and what joins the parts of an emoji."""
