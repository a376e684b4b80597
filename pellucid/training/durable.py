"""Files that are whole or not there, whatever happens while they are written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from pellucid.errors import PellucidError

DRAFT = ".draft"


def draft_of(path: Path) -> Path:
    """Where a file or folder stands until it is complete."""
    return path.with_name(f".{path.name}{DRAFT}")


def write_durably(path: Path, fill: Callable[[Path], object]) -> None:
    """Fill a draft, bring it to the disk, and only then give it its name.

    Raises:
        OSError: it cannot be written; what had the name before still has it.
    """
    draft = draft_of(path)
    fill(draft)
    sync(draft)
    draft.replace(path)
    sync(path.parent)


@contextmanager
def durable_folder(path: Path) -> Iterator[Path]:
    """A draft of a folder to write files into; in the end they are on the disk and it has its name.

    Raises:
        OSError: it cannot be written; no folder of that name is there then.
    """
    draft = draft_of(path)
    rmtree(draft, ignore_errors=True)
    rmtree(path, ignore_errors=True)
    try:
        draft.mkdir(parents=True)
        yield draft
        for file in draft.iterdir():
            sync(file)
        sync(draft)
        draft.replace(path)
        sync(path.parent)
    except BaseException:
        rmtree(draft, ignore_errors=True)
        raise


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
