"""The ids of a corpus in a mapped file, which is made once and used again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import time

import numpy.typing as npt

from pellucid.errors import PellucidError
from pellucid.files import write_whole
from pellucid.text.documents import Document
from pellucid.text.encoder import Encoder
from pellucid.text.id_storage import IdWriter, open_ids
from pellucid.text.mapped import Run
from pellucid.text.measure import Measure, measure
from pellucid.text.tokenizer import Tokenizer

OnProgress = Callable[[int, int], object]
"""Told how many characters have been encoded, and of how many."""

BATCH = 1 << 18
"""How many characters are encoded together: enough for every core, and a few MB of memory."""

ABANDONED_AFTER = 3600
"""Seconds without a change, after which the writer of a draft is taken to be gone."""


@dataclass(frozen=True, eq=False)
class TokenFile:
    """The ids of a corpus [position], read-only, each document's between start and end token.

    A start or end token that the tokenizer does not have is left out, and so is a document without
    ids. `characters`, `bytes`, `documents` and `digest` are those of the text, as in `Measure`.
    """

    path: Path
    ids: Run
    tokenizer: Tokenizer
    characters: int
    bytes: int
    documents: int
    digest: str

    @classmethod
    def of(
        cls,
        documents: Iterable[Document],
        tokenizer: Tokenizer,
        *,
        folder: str | os.PathLike[str] | None = None,
        on_progress: OnProgress | None = None,
    ) -> TokenFile:
        """Return the ids of the documents: from `folder` if they are there, or else made.

        Making takes the same memory for any length of text. The file's name in `folder`, which is
        `cache_folder()` unless given, is a digest of the text and one of the tokenizer. One that is
        damaged is made anew. Raises `PellucidError` when the documents are empty, cannot be read or
        have what the tokenizer does not, and when the file cannot be written.
        """
        documents = tuple(documents)
        measured = measure(documents)
        home = cache_folder() if folder is None else Path(folder)
        path = home / f"{measured.digest}-{tokenizer.digest}.safetensors"
        try:
            return cls.open(path, tokenizer)
        except PellucidError:  # It is not there, or damaged.
            _make(path, documents, tokenizer, measured, on_progress or (lambda done, all: None))
        return cls.open(path, tokenizer)

    @classmethod
    def open(cls, path: str | os.PathLike[str], tokenizer: Tokenizer) -> TokenFile:
        """Open a file that `of` has made; the documents need not be there any more.

        Raises `PellucidError` when there is none, it is damaged, or another tokenizer made it.
        """
        path = Path(path)
        ids, said = open_ids(path)
        if said.tokenizer != tokenizer.digest:
            raise PellucidError(f"{path} was made by another tokenizer: make it with this one.")
        return cls(
            path=path,
            ids=ids,
            tokenizer=tokenizer,
            characters=said.characters,
            bytes=said.bytes,
            documents=said.documents,
            digest=said.digest,
        )


def cache_folder() -> Path:
    """Return where token files are kept unless a folder is given: `pellucid` in the user's cache.

    That is `$XDG_CACHE_HOME`, or `~/.cache` (XDG Base Directory Specification). What is in it may
    be deleted when nothing runs.
    """
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "pellucid"


def _make(
    path: Path,
    documents: Sequence[Document],
    tokenizer: Tokenizer,
    measured: Measure,
    on_progress: OnProgress,
) -> None:
    """Write the file under another name, and give it its own when it is complete."""

    def fill(draft: Path) -> None:
        done = 0
        with draft.open("wb") as file:
            writer = IdWriter(file, vocab_size=tokenizer.vocab_size)
            for ids, characters in _encoded(documents, tokenizer):
                writer.write(ids)
                done += characters
                on_progress(done, measured.characters)
            writer.finish(measured, tokenizer=tokenizer.digest)
        if done != measured.characters:
            raise PellucidError("The text changed while it was read. Start again.")

    # Another process may be making the same file: each writes one of its own.
    own = path.with_name(f"{path.stem}-{os.getpid()}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _clear_drafts(path.parent)
        write_whole(own, fill, sync=True)
        own.replace(path)
    except OSError as error:
        raise PellucidError(
            f"The tokens of the text cannot be written to {path.parent}: {error.strerror}. "
            f"They take up to {measured.characters * 2 / 1e6:,.1f} MB there."
        ) from None


def _clear_drafts(folder: Path) -> None:
    """Delete what writers have left that were killed."""
    for draft in folder.glob(".*.draft"):
        if draft.stat().st_mtime < time() - ABANDONED_AFTER:
            draft.unlink(missing_ok=True)


def _encoded(
    documents: Sequence[Document], tokenizer: Tokenizer
) -> Iterator[tuple[npt.ArrayLike, int]]:
    """Yield the ids of all documents a batch at a time, and how many characters they came from."""
    encode = Encoder(tokenizer)
    for document in documents:
        started = False
        for batch in _batches(document.pieces()):
            ids = encode(batch)
            if len(ids) and not started:
                yield tokenizer.start, 0
                started = True
            yield ids, sum(map(len, batch))
        if started:
            yield tokenizer.end, 0


def _batches(pieces: Iterator[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for piece in pieces:
        batch.append(piece)
        size += len(piece)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
