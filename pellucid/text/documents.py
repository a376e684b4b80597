"""A document: a text with a name, read in pieces as often as one likes."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

LONGEST_PIECE = 512
"""In characters. Tokenizers take far more time and memory for a character of a long string."""

# From the beginning up to the last good place to cut, the best kind first: behind a line end that
# stands alone, before a space, before other white space. Tokenizers that keep white space begin a
# word there themselves, so that pieces have the ids of the whole.
_UP_TO_A_CUT = tuple(
    re.compile(rf"[\s\S]{{1,{LONGEST_PIECE}}}{cut}")
    for cut in (r"(?<=\S\n)(?=\S)", r"(?<=\S)(?= )", r"(?<=\S)(?=\s)")
)


@dataclass(frozen=True)
class Document:
    """A text that is never whole in memory.

    `name` says where it comes from; `read` begins anew and yields the text in blocks of any size.
    """

    name: str
    read: Callable[[], Iterable[str]]

    @classmethod
    def of(cls, text: str, *, name: str = "text") -> "Document":
        """Return the document of a text that is in memory."""
        return cls(name, lambda: (text,))

    def pieces(self) -> Iterator[str]:
        """Yield the text in pieces of at most `LONGEST_PIECE` characters.

        A piece is as many whole lines as fit, or whole words, where a line is longer; only a word
        that is longer is cut anywhere. Where the blocks of `read` end plays no part.
        """
        rest = ""
        for block in self.read():
            rest += block
            start = 0
            # One character more than a piece has: what a cut stands before.
            while len(rest) - start > LONGEST_PIECE:
                end = _end_of_piece(rest, start)
                yield rest[start:end]
                start = end
            rest = rest[start:]
        if rest:
            yield rest


def pieces_of(documents: Iterable[Document]) -> Iterator[str]:
    """Yield the pieces of all documents, one after the other."""
    for document in documents:
        yield from document.pieces()


def _end_of_piece(text: str, start: int) -> int:
    for up_to_a_cut in _UP_TO_A_CUT:
        if match := up_to_a_cut.match(text, start):
            return match.end()
    return start + LONGEST_PIECE
