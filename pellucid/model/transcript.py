"""Ids written down as text, token by token, up to a stop string."""

from __future__ import annotations

from collections.abc import Iterable

from pellucid.text.stop_strings import StopStrings
from pellucid.text.tokenizer import Tokenizer


class Transcript:
    """The text of a prompt's ids (`before`), and of those that follow it, in whole characters."""

    def __init__(
        self, tokenizer: Tokenizer, prompt_ids: Iterable[int], *, stop: Iterable[str] = ()
    ) -> None:
        # The prompt goes through the same stream: whether a space joins the next word, and whether
        # a character is still to be completed, depends on it.
        self._stream = tokenizer.stream()
        self._stop = StopStrings(stop)
        self.before = "".join(map(self._stream.push, prompt_ids))

    def push(self, id: int) -> str:
        """The text that an id completes, as far as no stop string may begin in it."""
        return self._stop.push(self._stream.push(id))

    def finish(self) -> str:
        """What is still held back, now that the text ends."""
        return self._stop.push(self._stream.finish()) + self._stop.finish()

    @property
    def stopped(self) -> bool:
        """Whether the text has come to a stop string."""
        return self._stop.found is not None
