"""Folders that are whole or not there, and words for what the system refuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from pellucid.errors import PellucidError
from pellucid.files import flush_to_disk


@contextmanager
def durable_folder(path: Path) -> Iterator[Path]:
    """A draft of a folder to write files into; in the end they are on the disk and it has its name.

    Raises:
        OSError: it cannot be written; no folder of that name is there then.
    """
    draft = path.with_name(f".{path.name}.draft")
    rmtree(draft, ignore_errors=True)
    rmtree(path, ignore_errors=True)
    try:
        draft.mkdir(parents=True)
        yield draft
        for file in draft.iterdir():
            flush_to_disk(file)
        flush_to_disk(draft)
        draft.replace(path)
        flush_to_disk(path.parent)
    except BaseException:
        rmtree(draft, ignore_errors=True)
        raise


@contextmanager
def telling(folder: Path, advice: str = "") -> Iterator[None]:
    """Turn what the system refuses into an error with words.

    Raises:
        PellucidError: something in `folder` cannot be written.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise PellucidError(f"{folder} cannot be written: {reason}.{advice}") from None
