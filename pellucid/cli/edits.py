"""`--edit`: changes to a run, as several commands take them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.trace.edits import Edit

Edits = Annotated[
    list[str] | None,
    typer.Option(
        "--edit",
        metavar="EDIT",
        help='Change the run: "zero blocks.0.attn.pattern[head=0]", say, or a JSON file of edits; '
        "may be repeated.",
    ),
]


def read_edits(texts: Iterable[str] | None) -> tuple[Edit, ...]:
    """Edits as they are typed, those of a file in its place.

    Raises:
        PellucidError: one is not written as edits are, or a file cannot be read.
    """
    from pellucid.trace.typed_edit import read_edit

    found: list[Edit] = []
    for text in texts or ():
        found += read_file(Path(text)) if text.endswith(".json") else [read_edit(text)]
    return tuple(found)


def read_file(path: Path) -> tuple[Edit, ...]:
    """The edits in a JSON file.

    Raises:
        PellucidError: it cannot be read, or holds no edits.
    """
    from pellucid.trace.edits_json import edits_from_json

    try:
        content = path.read_bytes()
    except OSError as error:
        raise PellucidError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        return edits_from_json(content)
    except PellucidError as error:
        raise PellucidError(f"{path}: {error}") from None
