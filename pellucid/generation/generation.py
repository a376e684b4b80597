"""A generation: texts that are being continued, and the steps that do it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pellucid.errors import PellucidError
from pellucid.generation.continuation import Continuation
from pellucid.generation.step import Step
from pellucid.generation.traced import TracedReader
from pellucid.trace.edits import Edit
from pellucid.trace.trace import Trace


class Generation(Iterator[Step]):
    """Iterating takes the steps, one of each text in turn; `texts` say how far each has come."""

    def __init__(
        self,
        steps: Iterator[Step],
        texts: Sequence[Continuation],
        *,
        traced: TracedReader | None = None,
        edits: tuple[Edit, ...] = (),
    ) -> None:
        """Take steps that are to come, what they add to, and what was changed about the runs."""
        self.steps = steps
        self.texts = tuple(texts)
        self.traced = traced
        self.edits = edits

    def __next__(self) -> Step:
        return next(self.steps)

    def __repr__(self) -> str:
        edited = f", edited: {'; '.join(map(str, self.edits))}" if self.edits else ""
        return f"<Generation: {', '.join(map(repr, self.texts))}{edited}>"

    def finish(self) -> Generation:
        """Take all steps that are left; returns the generation itself."""
        for _ in self.steps:
            pass
        return self

    @property
    def traces(self) -> tuple[Trace, ...]:
        """What the steps so far have computed: a trace for each stretch of an unmoved window.

        In each, `written` of keys and values says which step wrote them; the same step wrote all of
        a window that has slid. The id that was chosen last has not been read, and is in none.

        Raises:
            PellucidError: it was not asked to trace.
        """
        if self.traced is None:
            raise PellucidError("This generation was not traced: ask for it with trace=True.")
        return self.traced.traces()
