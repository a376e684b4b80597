"""Text as it comes, up to the first of some strings."""

from __future__ import annotations

from collections.abc import Iterable

from pellucid.errors import PellucidError


class StopStrings:
    """Passes text on, and stops before the first place where one of the strings is complete.

    `found` is that string, or None so far. What may be the beginning of one is held back until it
    is known, so that nothing has to be taken back.
    """

    def __init__(self, strings: Iterable[str]) -> None:
        """Raises `PellucidError` for an empty string, which is everywhere."""
        self.strings = tuple(dict.fromkeys(strings))
        if "" in self.strings:
            raise PellucidError(
                'stop="" is found in every text at once: give one character or more.'
            )
        self.found: str | None = None
        self._held = ""

    def push(self, text: str) -> str:
        """Return what is certain to stand before a stop, given that `text` comes next."""
        if self.found is not None:
            return ""
        self._held += text
        places = [(self._held.find(s), s) for s in self.strings if s in self._held]
        if places:
            place, self.found = min(places)
            before, self._held = self._held[:place], ""
            return before
        kept = max((overlap(self._held, s) for s in self.strings), default=0)
        cut = len(self._held) - kept
        certain, self._held = self._held[:cut], self._held[cut:]
        return certain

    def finish(self) -> str:
        """Return what is held back, for the text has ended."""
        rest, self._held = self._held, ""
        return rest


def overlap(text: str, string: str) -> int:
    """How many characters at the end of `text` could be the beginning of `string`."""
    longest = min(len(text), len(string) - 1)
    return next((n for n in range(longest, 0, -1) if text.endswith(string[:n])), 0)
