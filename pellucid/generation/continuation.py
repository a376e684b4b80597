"""One text of a generation, as far as it has come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pellucid.errors import PellucidError
from pellucid.generation.step import StopReason


class Transcript(Protocol):
    """Writes ids down as text while they arrive."""

    before: str
    """The text that was there at the beginning."""

    def push(self, id: int) -> str:
        """The text that an id completes; "" while more ids are needed for that."""

    def finish(self) -> str:
        """What is still held back at the end."""

    @property
    def stopped(self) -> bool:
        """Whether the text has come to a string at which it shall stop."""


class Continuation:
    """The ids of one text, first those of its prompt, and what it was made with.

    number: which text of the generation it is, from 0.
    prompt_ids: what it began with.
    ids: all ids so far.
    seed: what its draws follow from.
    prompt, text: what it began with and what was added, in characters; "" without a transcript.
    stopped: why it has ended, or None as long as it goes on.
    """

    def __init__(
        self,
        ids: Sequence[int],
        *,
        number: int = 0,
        seed: int = 0,
        transcript: Transcript | None = None,
    ) -> None:
        """Raises PellucidError where there are no ids, and for a negative seed."""
        if len(ids) == 0:
            raise PellucidError("there are no ids to continue: give at least a start token.")
        if seed < 0:
            raise PellucidError(f"seed={seed} is negative: give 0 or more.")
        self.number = number
        self.prompt_ids = tuple(int(i) for i in ids)
        self.ids = list(self.prompt_ids)
        self.seed = seed
        self.transcript = transcript
        self.prompt = "" if transcript is None else transcript.before
        self.text = ""
        self.stopped: StopReason | None = None

    def __repr__(self) -> str:
        ended = "goes on" if self.stopped is None else f"ended by {self.stopped}"
        text = f", {self.prompt + self.text!r}" if self.transcript else ""
        return f"<text {self.number}, seed {self.seed}: {len(self.ids)} ids, {ended}{text}>"

    @property
    def new_ids(self) -> list[int]:
        """The ids that were added."""
        return self.ids[len(self.prompt_ids) :]

    def add(self, id: int, *, ends: bool, last: bool) -> str:
        """Add an id, which may be one that ends a text or the last that was asked for.

        Returns:
            The characters that it adds to the text.
        """
        self.ids.append(id)
        piece = "" if self.transcript is None else self.transcript.push(id)
        if ends:
            self.stopped = "end token"
        elif self.transcript is not None and self.transcript.stopped:
            self.stopped = "stop string"
        elif last:
            self.stopped = "length"
        if self.stopped is not None and self.transcript is not None:
            piece += self.transcript.finish()
        self.text += piece
        return piece
