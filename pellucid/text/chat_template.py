"""Chat templates: a conversation written down as the text that a model was trained to read.

A template is a program in the language of jinja2 that comes with a model's files. It runs in a
process of its own (`chat_process.py`), where it has little memory and little time.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from pellucid.errors import PellucidError

PROCESS = Path(__file__).with_name("chat_process.py")
MEMORY = 1 << 29
SECONDS = 5
CHARACTERS = 1 << 22
"""What a template may take: bytes, seconds, and how long its text may be."""
CUT = 300

WORDS = {
    "by itself": "The chat template does not take this conversation: {said}",
    "unreadable": "The chat template cannot be read: {said}.",
    "forbidden": "The chat template does what no template may: {said}.",
    "too long": f"The chat template writes more than {CHARACTERS:,} characters: it is not used.",
    "too much": f"The chat template needs more than {MEMORY:,} bytes: it is not used.",
    "too deep": "The chat template calls itself too often: it is not used.",
    "failed": "The chat template fails on this conversation: {said}.",
}


class Answer(msgspec.Struct):
    """What the process says."""

    text: str = ""
    refused: str = ""
    said: str = ""


def apply_template(template: str, variables: Mapping[str, Any]) -> str:
    """The text that a template makes of its variables.

    Args:
        template: in the language of jinja2, with what `transformers` adds to it.
        variables: by name: `messages`, `add_generation_prompt`, `bos_token`, …; plain data.

    Raises:
        PellucidError: the template is no such program, refuses the conversation, fails, takes too
            much, or does what it may not; or jinja2 is not installed.
    """
    if find_spec("jinja2") is None:
        raise PellucidError(
            "Chat templates are read with the library jinja2, which is missing: "
            "pip install 'pellucid[chat]' brings it."
        )
    limits = {"memory": MEMORY, "seconds": SECONDS, "characters": CHARACTERS}
    question = {"template": template, "variables": dict(variables), **limits}
    answer = msgspec.json.decode(asked(encoded(question)), type=Answer)
    if answer.refused:
        said = shortened(answer.said).rstrip(".")
        raise PellucidError(WORDS[answer.refused].format(said=said))
    return answer.text


def encoded(question: Mapping[str, Any]) -> bytes:
    """A question as JSON.

    Raises:
        PellucidError: there is something in it that JSON does not have.
    """
    try:
        return msgspec.json.encode(question)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise PellucidError(f"A conversation is plain text and numbers: {error}.") from None


def asked(question: bytes) -> bytes:
    """What the process answers.

    Raises:
        PellucidError: it took longer than it may, or was ended.
    """
    # -P keeps the modules beside the file from standing in for Python's own.
    command = [sys.executable, "-P", str(PROCESS)]
    try:
        ended = subprocess.run(
            command, input=question, capture_output=True, timeout=2 * SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise too_slow() from None
    if ended.returncode < 0 or b"MemoryError" in ended.stderr:
        raise too_slow()
    if ended.returncode:
        said = ended.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise PellucidError(f"The process for chat templates cannot run: {shortened(said)}.")
    return ended.stdout


def too_slow() -> PellucidError:
    """The error for a template that does not come to an end."""
    return PellucidError(
        f"The chat template takes more than {SECONDS} seconds, or more than {MEMORY:,} bytes: "
        "it is not used."
    )


def shortened(said: str) -> str:
    """Words of a template in one line, and not endless."""
    line = " ".join(said[: 2 * CUT].split())
    shown = "".join(char if char.isprintable() else f"U+{ord(char):04X}" for char in line)
    return shown if len(shown) <= CUT else shown[: CUT - 1] + "…"
