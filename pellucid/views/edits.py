"""What is said of edits, and of numbers that are not finite, wherever a run is shown."""

from __future__ import annotations

from collections.abc import Iterable

from pellucid.trace.edits import Edit
from pellucid.trace.nonfinite import what_is_not_finite
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
    """What stands below a view of these things, of which traces have something to be said."""
    traces = [thing for thing in shown if isinstance(thing, Trace)]
    words = [said for trace in traces for said in said_of(trace)]
    return tuple(Prose(escape(each)) for each in words)


def said_of(trace: Trace) -> list[str]:
    """What a reader of its numbers must know: edits, and that some are not finite."""
    return [said for said in (in_words(trace.edits), what_is_not_finite(trace)) if said]
