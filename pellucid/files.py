"""Files that are whole or not there: filled as a draft, which then takes its name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def write_whole(path: Path, fill: Callable[[Path], object], *, sync: bool = False) -> None:
    """Let `fill` write a draft beside `path`, then give it that name.

    The file is readable by whom the system's umask says, whoever wrote it. A draft that could not
    be filled is taken away, and what stood at `path` stays.

    Args:
        path: the file to write or to replace.
        fill: is handed the draft's path.
        sync: whether to wait until the disk has it, so that no power cut can lose it.

    Raises:
        OSError: the draft cannot be written or renamed.
    """
    draft = path.with_name(f".{path.name}.draft")
    try:
        fill(draft)
        # Some writers leave a file that nobody else may read.
        draft.chmod(0o666 & ~umask())
        if sync:
            flush_to_disk(draft)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    if sync:
        flush_to_disk(path.parent)


def flush_to_disk(path: Path) -> None:
    """Wait until the disk has a file, or a folder's list of names."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def umask() -> int:
    """The permissions that new files go without. The system tells only when it is set."""
    current = os.umask(0o077)
    os.umask(current)
    return current
