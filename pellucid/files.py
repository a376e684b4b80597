"""Files that are whole or not there: filled as a draft, which then takes its name."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE


def write_whole(path: Path, fill: Callable[[Path], object], *, sync: bool = False) -> None:
    """Let `fill` write a draft beside `path`, then give it that name.

    The file is readable by whom the system's umask says, whoever wrote it. A draft that could not
    be filled is taken away, and what stood at `path` stays. Several may write one file at once:
    each has a draft of its own, and the last to end is what stays.

    Args:
        path: the file to write or to replace; where it is a link, the file that it leads to.
        fill: is handed the draft's path.
        sync: whether to wait until the disk has it, so that no power cut can lose it.

    Raises:
        OSError: the draft cannot be written or renamed, or `path` is no file: a device, such as
            /dev/null, would be lost if a file took its name.
    """
    draft = empty_draft(path)
    path = path.resolve()
    try:
        allowed = S_IMODE(draft.stat().st_mode)
        fill(draft)
        # Some writers leave a file that nobody else may read.
        draft.chmod(allowed)
        if sync:
            flush_to_disk(draft)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    if sync:
        flush_to_disk(path.parent)


def check_place(path: Path) -> None:
    """Ask, before long work, whether a file could be written there; leave nothing behind.

    Raises:
        OSError: as `write_whole` would.
    """
    empty_draft(path).unlink()


def empty_draft(path: Path) -> Path:
    """A new file beside `path`: the system's own words for what stands in the way, if anything."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a file")
    path = path.resolve()
    draft = path.with_name(f".{path.name}.{token_hex(4)}.draft")
    draft.touch()
    return draft


def flush_to_disk(path: Path) -> None:
    """Wait until the disk has a file, or a folder's list of names."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
