"""Sources into documents: files, folders, patterns and standard input."""

import sys
from collections.abc import Iterable, Iterator
from glob import glob
from itertools import chain
from os import PathLike, fspath, walk
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import BinaryIO
from weakref import finalize

from pellucid.errors import PellucidError
from pellucid.text.decoding import Notices, OnNotice, check_encoding, decoded
from pellucid.text.documents import Document

Source = str | PathLike[str]

STANDARD_INPUT = "-"

_LOOKED_AT = 8_000
"""How many bytes of a file in a folder decide whether it is text; git looks at as many."""


def read_documents(
    sources: Source | Iterable[Source],
    *,
    encoding: str = "utf-8",
    on_notice: OnNotice | None = None,
) -> tuple[Document, ...]:
    """Return the documents of `sources`, each file one, in order; what is in them is read later.

    A source is a file; a folder, of which every text file below is taken, sorted, what begins with
    a dot left out; a pattern with `*`, `?` or `[…]`, where `**` stands for folders; or "-",
    standard input. `on_notice` is told, once each however many files there are, that a byte-order
    mark was dropped, that line ends were changed, and that files of a folder are not text.

    Raises `PellucidError` when a source is not there or cannot be read, or holds no text file; and,
    while a document is read, for bytes that do not fit the encoding.
    """
    check_encoding(encoding)
    notices = Notices(on_notice)
    each = [sources] if isinstance(sources, str | PathLike) else sources
    return tuple(chain.from_iterable(_documents(source, encoding, notices) for source in each))


def _documents(source: Source, encoding: str, notices: Notices) -> Iterator[Document]:
    if fspath(source) == STANDARD_INPUT:
        yield _kept("standard input", sys.stdin.buffer, encoding, notices)
        return
    for path in _files(Path(source), encoding, notices):
        if path.is_file():
            yield read_document(path, encoding=encoding, notices=notices)
        else:  # A pipe, which can be read only once.
            with _opened(path) as stream:
                yield _kept(str(path), stream, encoding, notices)


# Where the bytes are


def _files(path: Path, encoding: str, notices: Notices) -> list[Path]:
    """Return the files that `path` stands for."""
    if path.is_dir():
        return _text_files_below(path, encoding, notices)
    if path.exists():
        return [path]
    if any(sign in str(path) for sign in "*?["):
        # Path.glob takes no absolute pattern.
        found = sorted(Path(name) for name in glob(str(path), recursive=True))  # noqa: PTH207
        files = [file for file in found if not file.is_dir()]
        if not files:
            raise PellucidError(f"No file matches {path}. Check the pattern.")
        return files
    raise _missing(path)


def _text_files_below(folder: Path, encoding: str, notices: Notices) -> list[Path]:
    found = (
        Path(parent, name) for parent, _, names in walk(folder, onerror=_refuse) for name in names
    )
    below = sorted(path for path in found if not _hidden(path.relative_to(folder)))
    text = [path for path in below if path.is_file() and _is_text(path, encoding)]
    if not text:
        raise PellucidError(f"{folder} has no text file in it. Give a folder with some.")
    if len(text) < len(below):
        example = min(set(below) - set(text))
        notices.give(
            "left out",
            f"{len(below) - len(text)} of the {len(below)} files in {folder} are left out "
            f"({example.name} is one): they are not text.",
        )
    return text


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _refuse(error: OSError) -> None:
    raise PellucidError(f"{error.filename} cannot be read: {error.strerror}.") from None


def _is_text(path: Path, encoding: str) -> bool:
    """Say whether the file's beginning is without a zero byte, as text in most encodings is."""
    if "\0".encode(encoding) != b"\0":
        return True
    with _opened(path) as stream:
        return b"\0" not in stream.read(_LOOKED_AT)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise _missing(path) from None
    except OSError as error:
        raise PellucidError(f"{path} cannot be read: {error.strerror}.") from None


def _missing(path: Path) -> PellucidError:
    return PellucidError(f"There is no file {path}. Check the path.")


# Documents


def read_document(
    path: Path, *, encoding: str = "utf-8", notices: Notices | None = None
) -> Document:
    """Return the document of one file, which is opened when it is read."""

    def read() -> Iterator[str]:
        with _opened(path) as stream:
            yield from decoded(stream, name=str(path), encoding=encoding, notices=notices)

    return Document(str(path), read)


def _kept(name: str, stream: BinaryIO, encoding: str, notices: Notices) -> Document:
    """Return a document of what can be read only once: kept in a file as long as the document."""
    kept = TemporaryFile()  # noqa: SIM115
    copyfileobj(stream, kept)

    def read() -> Iterator[str]:
        kept.seek(0)
        yield from decoded(kept, name=name, encoding=encoding, notices=notices)

    document = Document(name, read)
    finalize(document, kept.close)
    return document
