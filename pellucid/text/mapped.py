"""Arrays that are mapped files: reading through one must not fill the memory."""

import mmap
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Run = npt.NDArray[np.integer]
"""One long run of ids [position], of any integer type."""

CHUNK = 1 << 20
"""How many ids are looked at together."""


def release(array: Run) -> None:
    """Give back the memory that reading a mapped file took; any other array keeps its own.

    The system would take it back by itself when it is short of memory, but until then it counts
    as the process's own. The pages stay in the system's cache, so that reading on costs little.
    """
    mapping = getattr(array, "_mmap", None)
    if mapping is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapping.madvise(mmap.MADV_DONTNEED)


def chunks(array: Run, *, overlap: int = 0) -> Iterator[Run]:
    """Yield the ids a chunk at a time, each beginning with the last `overlap` of the one before."""
    for start in range(0, max(1, len(array) - overlap), CHUNK):
        yield array[start : start + CHUNK + overlap]
        release(array)
