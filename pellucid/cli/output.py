"""What a command prints: blocks for people, JSON for programs, complaints for both."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pellucid.views.scene import Block, Scene

WRONG_INPUT = 2
"""The exit code for what was given and cannot be used."""

MOST_SAID = 2000
"""Characters of a complaint; it may quote what was given, and that may be a whole book."""


def show(blocks: Iterable[Block | Scene], *, lines: int = 60) -> None:
    """Print blocks in columns, with colour where there is a terminal that has it.

    A matrix or table longer than `lines` is reduced, with words that say so.
    """
    from pellucid.views import terminal

    terminal.show(blocks, lines=lines)


def say(text: str, *, end: str = "\n") -> None:
    """Print text at once; a character that the output cannot write is spelled as its code."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), end=end, flush=True)


def write_json(data: Any) -> None:
    """Print `data` as JSON in one line. JSON has no infinity, so it is spelled "-Infinity"."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(plain(data), ensure_ascii=not utf8, allow_nan=False))


def plain(data: Any) -> Any:
    """The same in what JSON has: arrays as lists, and the names of numbers that it lacks."""
    if hasattr(data, "tolist"):
        data = data.tolist()
    if isinstance(data, float) and not math.isfinite(data):
        return "NaN" if math.isnan(data) else "Infinity" if data > 0 else "-Infinity"
    if isinstance(data, Mapping):
        return {key: plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [plain(value) for value in data]
    return data


def complain(message: str) -> None:
    """Say on standard error, in one line that a terminal takes for text alone, what is wrong."""
    from pellucid.text.visible import visible

    said = " ".join(visible(word) for word in message.split())
    if len(said) > MOST_SAID:
        said = f"{said[: MOST_SAID // 2]} … {said[-MOST_SAID // 2 :]}"
    # Nobody can be told that complaining failed; the exit code still says that something did.
    with suppress(OSError):
        print(f"pellucid: {said}", file=sys.stderr, flush=True)
