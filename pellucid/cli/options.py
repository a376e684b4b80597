"""Arguments and options that several commands share, so that one name means one thing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated

import typer

from pellucid.errors import PellucidError, did_you_mean

Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="A preset's name, or the path of a model's folder.")
]
Prompt = Annotated[
    str | None,
    typer.Argument(metavar="[PROMPT]", help="The text to read; the start token goes before it."),
]
Ids = Annotated[
    str | None,
    typer.Option("--ids", metavar="LIST", help="Token ids instead of a prompt: --ids 1,11,3,8"),
]
Random = Annotated[
    int | None,
    typer.Option("--random", metavar="SEED", min=0, help="Fresh weights, for a preset's shape."),
]
Dtype = Annotated[
    str | None,
    typer.Option("--dtype", metavar="TYPE", help="float32 or float64; as stored unless given."),
]
EngineDtype = Annotated[
    str | None,
    typer.Option(
        "--dtype",
        metavar="TYPE",
        help="float32 or float64, with torch also bfloat16 or float16; as stored unless given.",
    ),
]
Engine = Annotated[
    str, typer.Option("--engine", metavar="NAME", help="What computes: numpy, or torch for GPUs.")
]
Device = Annotated[
    str,
    typer.Option(
        "--device", metavar="NAME", help="For torch: cpu, cuda, cuda:1, mps; a GPU if there is one."
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", metavar="SEED", min=0, help="What every random choice follows from."),
]
Chat = Annotated[
    bool,
    typer.Option("--chat", help="Read the text as a message, by the model's own chat template."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def read_ids(text: str | None, option: str = "--ids", noun: str = "token id") -> list[int] | None:
    """Ids as they are typed: `1,11,3,8`, `1 11 3 8` or `[1, 11, 3, 8]`; or steps, say.

    Raises:
        PellucidError: a piece is not a whole number.
    """
    if text is None:
        return None
    ids = []
    for piece in re.split(r"\s*,\s*|\s+", text.strip().removeprefix("[").removesuffix("]").strip()):
        if not re.fullmatch(r"-?\d{1,18}", piece, re.ASCII):
            raise PellucidError(
                f'{option}: "{piece}" is not a {noun}. Write them as {option} 1,11,3,8'
            )
        ids.append(int(piece))
    return ids


def read_target(target: str | None, *, words: bool) -> str | int | None:
    """A target as it is typed: its text, or its id for a model that has no `words` for it."""
    if words or target is None or not re.fullmatch(r"-?\d{1,18}", target, re.ASCII):
        return target
    return int(target)


def read_two_prompts(
    a: str | None, b: str | None, ids: list[str] | None, *, usage: str
) -> tuple[str | list[int], str | list[int]]:
    """The two prompts, as texts or as ids.

    Raises:
        PellucidError: there are not two of them, or they are neither all texts nor all ids.
    """
    if ids is None and a is not None and b is not None:
        return a, b
    if ids is not None and len(ids) == 2 and a is None:
        first, second = (read_ids(each) or [] for each in ids)
        return first, second
    raise PellucidError(f"Give two prompts, or --ids twice: {usage}.")


def check_name(name: str, known: Iterable[str], what: str) -> None:
    """Raise PellucidError where `name` is not known, and offer near ones."""
    known = list(known)
    if name not in known:
        raise PellucidError(f'This model has no {what} "{name}".{did_you_mean(name, known)}')
