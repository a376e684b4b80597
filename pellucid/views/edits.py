"""What is said of edits wherever an edited run is shown."""

from __future__ import annotations

from collections.abc import Iterable

from pellucid.trace.edits import Edit
from pellucid.trace.trace import Trace
from pellucid.views.markup import escape
from pellucid.views.scene import Prose


def in_words(edits: Iterable[Edit]) -> str:
    """Edits in the order in which they applied; nothing where there are none."""
    said = "; ".join(map(str, edits))
    return f"Edited: {said}." if said else ""


def in_note(note: str, edits: Iterable[Edit]) -> str:
    """A view's note, and behind it the edits of the run that is shown."""
    return f"{note} {in_words(edits)}".strip()


def said_below(*shown: object) -> tuple[Prose, ...]:
    """What stands below a view of these things, the traces of edited runs among them."""
    words = [in_words(thing.edits) for thing in shown if isinstance(thing, Trace)]
    return tuple(Prose(escape(each)) for each in words if each)
