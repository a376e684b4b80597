"""Documents as one corpus: how much they hold, and the tokenizer made from them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from os import PathLike
from pathlib import Path

from pellucid.errors import PellucidError, did_you_mean
from pellucid.text.documents import Document, pieces_of
from pellucid.text.tokenizer import Tokenizer

DEFAULT_VOCAB_SIZE = 1024
"""Of byte pairs: what some hundred thousand characters of text can fill with words."""

_MADE: dict[str, str] = {
    "char": "character",
    "character": "character",
    "word": "word",
    "bpe": "byte-pair",
    "byte-pair": "byte-pair",
}


@dataclass(frozen=True)
class Measure:
    """What a corpus holds: characters, bytes of UTF-8, documents with any text in them.

    `digest` is the same for the same documents, wherever they lie and however they are encoded.
    """

    characters: int
    bytes: int
    documents: int
    digest: str


def measure(documents: Iterable[Document]) -> Measure:
    """Read the documents through; raises `PellucidError` when they hold nothing but white space."""
    digest = blake2b(digest_size=16)
    characters = n_bytes = n_documents = 0
    blank = True
    names = []
    for document in documents:
        names.append(document.name)
        before = characters
        for block in document.read():
            encoded = block.encode()
            digest.update(encoded)
            characters += len(block)
            n_bytes += len(encoded)
            blank = blank and not block.strip()
        digest.update(b"\xff")  # A byte that no text in UTF-8 has: one document ends.
        n_documents += characters > before
    if blank:
        raise PellucidError(
            f"{', '.join(names[:3]) or 'The corpus'} is empty: it holds no text. "
            "Give a file with some words."
        )
    return Measure(characters, n_bytes, n_documents, digest.hexdigest())


def tokenizer_for(
    choice: str | PathLike[str],
    documents: Sequence[Document],
    *,
    vocab_size: int | None = None,
    unknown: bool = False,
) -> Tokenizer:
    """Return the tokenizer for a corpus of running text.

    `choice` is "char", "word" or "bpe", made from the documents; or the path of a `tokenizer.json`,
    or of a folder that has one. `vocab_size` is for byte pairs alone, `unknown` for the two others.
    Raises `PellucidError` for other choices, for options that the choice does not have, and what
    making or loading the tokenizer raises.
    """
    kind = _MADE.get(str(choice))
    if vocab_size is not None and kind != "byte-pair":
        raise PellucidError(
            f"vocab_size={vocab_size} is for byte pairs; the tokenizer {choice} has as many tokens "
            "as it has. Leave it out, or choose bpe."
        )
    if unknown and kind not in ("character", "word"):
        raise PellucidError(
            f"An unknown token is for words and characters; the tokenizer {choice} takes none. "
            "Leave it out."
        )
    if kind is None:
        return _loaded(Path(choice))
    pieces = pieces_of(documents)
    if kind == "byte-pair":
        return Tokenizer.byte_pairs(pieces, vocab_size=vocab_size or DEFAULT_VOCAB_SIZE)
    make = Tokenizer.characters if kind == "character" else Tokenizer.words
    return make(pieces, running=True, unknown=unknown)


def _loaded(path: Path) -> Tokenizer:
    if path.is_dir():
        path = path / "tokenizer.json"
    if not path.exists():
        raise PellucidError(
            f"{path} is no tokenizer: give char, word, bpe or the path of a tokenizer.json."
            + did_you_mean(str(path), _MADE)
        )
    return Tokenizer.load(path)
