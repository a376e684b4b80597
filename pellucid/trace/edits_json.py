"""Edits as JSON: written for a file, and read as if anybody could have written it."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import msgspec

from pellucid.errors import PellucidError
from pellucid.trace.edits import Edit, read_steps
from pellucid.trace.numbers import SHUT, Numbers


def edits_to_json(edits: Iterable[Edit]) -> str:
    """Edits as JSON, for a file; `edits_from_json` makes them again."""
    return msgspec.json.encode(tuple(edits)).decode()


def edits_from_json(text: str | bytes) -> tuple[Edit, ...]:
    """The edits that `edits_to_json` wrote, or that were written by hand in the same way.

    Raises:
        PellucidError: these are no edits.
    """
    try:
        found: tuple[Edit, ...] = msgspec.json.decode(text, type=tuple[Edit, ...])
    except (ValueError, RecursionError) as error:
        raise PellucidError(f"These are no edits: {error}.") from None
    for edit in found:
        check_data(edit)
    return found


def check_data(edit: Edit) -> None:
    """Raise PellucidError for what JSON may hold and no edit does."""
    read_steps(edit.steps)
    value = getattr(edit, "value", None)
    texts = value.numbers if isinstance(value, Numbers) else (value,)
    for each in texts:
        if isinstance(each, str) and each != SHUT:
            raise PellucidError(f'"{each}" is no number; −∞ is written "{SHUT}".')
    if isinstance(value, Numbers) and not fills(value):
        raise PellucidError(f"{len(value.numbers)} numbers do not fill {list(value.shape)}.")


def fills(value: Numbers) -> bool:
    """Whether there are as many numbers as the shape has room for."""
    return min(value.shape, default=0) >= 0 and prod(value.shape) == len(value.numbers)
