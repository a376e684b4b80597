"""Bytes into text: a stream decoded bit by bit, its line ends made one kind."""

import codecs
import io
from collections.abc import Callable, Iterator
from typing import BinaryIO

from pellucid.errors import PellucidError

OnNotice = Callable[[str], object]
"""Told in one sentence what was done to a text."""

BLOCK = 1 << 16
"""How many bytes are read at a time."""

BYTE_ORDER_MARK = "\ufeff"


class Notices:
    """Passes on to `on_notice` the first notice of each kind, however many files have cause."""

    def __init__(self, on_notice: OnNotice | None = None) -> None:
        self._on_notice = on_notice
        self._given = set[str]()

    def give(self, kind: str, text: str) -> None:
        """Give the notice `text`, unless one of its `kind` has been given."""
        if self._on_notice is not None and kind not in self._given:
            self._given.add(kind)
            self._on_notice(text)


def decoded(
    stream: BinaryIO, *, name: str, encoding: str = "utf-8", notices: Notices | None = None
) -> Iterator[str]:
    """Yield the text of `stream` in blocks, never more than one of them in memory.

    A byte-order mark at the beginning is dropped, and a line ends in "\\n" whether the stream says
    "\\r\\n", "\\r" or "\\n"; nothing else changes, and the platform's encoding plays no part.
    `notices` hears of either change.

    Raises `PellucidError` for an encoding that is unknown, and for bytes that do not fit it, with
    the position of the first.
    """
    notices = notices or Notices()
    check_encoding(encoding)
    inner = codecs.getincrementaldecoder(encoding)()
    decoder = io.IncrementalNewlineDecoder(inner, translate=True)
    n_bytes = 0
    beginning = True
    while True:
        block = stream.read(BLOCK)
        n_bytes += len(block)
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            # The error counts from the bytes that the decoder had kept from the block before.
            raise _misfit(error, name, n_bytes - len(error.object), encoding) from None
        if beginning and text:
            beginning = False
            if text.startswith(BYTE_ORDER_MARK):
                text = text[1:]
                notices.give("mark", f"{name} begins with a byte-order mark: it is dropped.")
        if text:
            yield text
        if not block:
            break
    if decoder.newlines not in (None, "\n"):
        notices.give("lines", f"{name} has lines that end in CR or CRLF: they are read as LF.")


def check_encoding(encoding: str) -> None:
    """Raise `PellucidError` unless Python knows `encoding` as one of text."""
    try:
        "".encode(encoding)
    except LookupError:
        raise PellucidError(
            f'"{encoding}" is no encoding of text. Give one like utf-8, latin-1, cp1252 or utf-16.'
        ) from None


def _misfit(error: UnicodeDecodeError, name: str, offset: int, encoding: str) -> PellucidError:
    spelled = "UTF-8" if codecs.lookup(encoding).name == "utf-8" else encoding
    place = offset + error.start
    byte = error.object[error.start]
    # UTF-16 begins with FF FE or FE FF, wherever Windows has written it.
    likely = "utf-16" if place == 0 and byte >= 0xFE else "latin-1"
    return PellucidError(
        f"{name} is not {spelled}: byte {place:,} (0x{byte:02X}) does not fit. "
        f"Save it as UTF-8, or say what it is (--encoding {likely})."
    )
