"""The tokenizer that a user chose: made from the documents, or loaded."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from pellucid.errors import PellucidError, did_you_mean
from pellucid.text.documents import Document, pieces_of
from pellucid.text.tokenizer import Tokenizer
from pellucid.text.tokenizer_folder import TOKENIZER, load_tokenizer

DEFAULT_VOCAB_SIZE = 1024
"""Of byte pairs: what some hundred thousand characters of text can fill with words."""

_MADE: dict[str, str] = {
    "char": "character",
    "character": "character",
    "word": "word",
    "bpe": "byte-pair",
    "byte-pair": "byte-pair",
}


def tokenizer_for(
    choice: str | PathLike[str],
    documents: Iterable[Document],
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
        size = DEFAULT_VOCAB_SIZE if vocab_size is None else vocab_size
        return Tokenizer.byte_pairs(pieces, vocab_size=size)
    make = Tokenizer.characters if kind == "character" else Tokenizer.words
    return make(pieces, running=True, unknown=unknown)


def _loaded(path: Path) -> Tokenizer:
    if path.is_dir():
        if (found := load_tokenizer(path)) is not None:
            return found
        path = path / TOKENIZER
    if not path.exists():
        raise PellucidError(
            f"{path} is no tokenizer: give char, word, bpe or the path of a tokenizer.json."
            + did_you_mean(str(path), _MADE)
        )
    return Tokenizer.load(path)
