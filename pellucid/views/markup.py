"""Inline markup of prose: **bold**, `code`, and [words](tensor.name) that point at a tensor.

A backslash takes the next character as it is; `escape` puts them in, for text that is not ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

SpanKind = Literal["text", "bold", "code", "link"]

_SPECIAL = re.compile(r"([\\*`\[\]()])")
_TOKEN = re.compile(
    r"\\(?P<escaped>.)"
    r"|\*\*(?P<bold>(?:\\.|[^\\])+?)\*\*"
    r"|`(?P<code>(?:\\.|[^\\`])+)`"
    r"|\[(?P<link>(?:\\.|[^\\\]])+)\]\((?P<target>(?:\\.|[^\\)\s])+)\)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Span:
    """A run of text in one style; `target` is what a link points at: a tensor, a cell, or a text.

    A cell is `name[0,1]`, with an index for each dim, a text to follow `text:groot likes`.
    """

    text: str
    kind: SpanKind = "text"
    target: str | None = None


def escape(text: str) -> str:
    """Return `text` so that, put into prose, it reads as written: `*`, `[` and all."""
    return _SPECIAL.sub(r"\\\1", text)


def spans(text: str) -> tuple[Span, ...]:
    """Split one paragraph into spans. What is not complete markup is text; marks do not nest."""
    found: list[Span] = []
    plain = ""
    end = 0
    for match in _TOKEN.finditer(text):
        plain += text[end : match.start()]
        end = match.end()
        if match["escaped"] is not None:
            plain += match["escaped"]
            continue
        if plain:
            found.append(Span(plain))
            plain = ""
        found.append(_marked(match))
    plain += text[end:]
    return (*found, Span(plain)) if plain else tuple(found)


def _marked(match: re.Match[str]) -> Span:
    if match["bold"] is not None:
        return Span(_unescape(match["bold"]), "bold")
    if match["code"] is not None:
        return Span(_unescape(match["code"]), "code")
    return Span(_unescape(match["link"]), "link", _unescape(match["target"]))


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
