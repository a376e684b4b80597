"""Edits as JSON: written for a file, and read as if anybody could have written it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pellucid.errors import PellucidError
from pellucid.trace.edits import Edit


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
    return found
