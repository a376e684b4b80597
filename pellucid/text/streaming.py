"""Text while its ids still arrive: whole characters only."""

from collections.abc import Callable

Decode = Callable[[list[int]], str]

_REPLACEMENT = "\ufffd"
"""What bytes decode to that are no character, or not yet."""


class TextStream:
    """Turns ids into text one by one; a character comes when its last byte has.

    What `push` and `finish` return, joined, is the text of all ids together. Made by
    `Tokenizer.stream`.
    """

    def __init__(self, decode: Decode) -> None:
        self._decode = decode
        # The ids behind the latest text, which decide how the next ones join it, and those held.
        self._shown: list[int] = []
        self._held: list[int] = []

    def push(self, id: int) -> str:
        """Return the text that `id` completes: "" while a character has bytes to come."""
        self._held.append(id)
        text = self._text_of_held()
        if not text:
            # A token that stands for no text. Held, many of them would be decoded over and over.
            self._held.pop()
            return ""
        if text.endswith(_REPLACEMENT):
            return ""
        self._shown, self._held = self._held, []
        return text

    def finish(self) -> str:
        """Return what is held back, bytes without a character as U+FFFD, and begin anew."""
        text = self._text_of_held()
        self._shown, self._held = [], []
        return text

    def _text_of_held(self) -> str:
        return self._decode(self._shown + self._held).removeprefix(self._decode(self._shown))
