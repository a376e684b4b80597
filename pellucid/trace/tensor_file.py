"""A safetensors file, of which single tensors are read when they are asked for.

A header, in JSON, says where each tensor's bytes lie; see https://github.com/huggingface/safetensors.
The file is not mapped into memory: another program that cut a mapped file short would end this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

import msgspec
import numpy as np

from pellucid.errors import PellucidError
from pellucid.ops.operation import Array
from pellucid.trace.tensor import lock

LONGEST_HEADER = 100_000_000
"""Bytes; as in the format's own reader."""
DTYPES: Mapping[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F64": np.dtype("<f8")}

Length = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a tensor lies; offsets are bytes after the header, `[start, end)`."""

    dtype: Literal["F32", "F64"]
    shape: Annotated[tuple[Length, ...], msgspec.Meta(max_length=8)]
    data_offsets: tuple[Length, Length]

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * DTYPES[self.dtype].itemsize


@dataclass(frozen=True, slots=True)
class TensorFile:
    """What the header of a file says: `metadata`, and an entry for each tensor."""

    path: Path
    stamp: tuple[int, int]
    metadata: Mapping[str, str]
    entries: Mapping[str, Entry]
    start: int
    """Where the first tensor's bytes begin."""

    @classmethod
    def open(cls, path: str | Path) -> TensorFile:
        """Read a file's header, and close it again.

        Raises:
            PellucidError: there is no such file, it is no safetensors file of floating-point
                numbers, it has been cut short, or its header contradicts itself.
        """
        path = Path(path).absolute()
        try:
            if path.exists() and not path.is_file():
                raise PellucidError("is not a file.")
            with path.open("rb") as file:
                stamp = stamp_of(path)
                header = read_header(file, stamp[0])
                start = file.tell()
            metadata, entries = parse(header)
            check_places(entries, stamp[0] - start)
        except OSError as error:
            raise PellucidError(f"{path} cannot be read: {error.strerror}.") from None
        except PellucidError as error:
            raise PellucidError(f"{path} {error}") from None
        return cls(path, stamp, metadata, entries, start)

    def read(self, name: str) -> Array:
        """One tensor, closed to writing.

        Raises:
            PellucidError: the file has been moved, deleted or changed since it was opened.
        """
        entry = self.entries[name]
        dtype, at = DTYPES[entry.dtype], self.start + entry.data_offsets[0]
        try:
            same = stamp_of(self.path) == self.stamp
            values = np.fromfile(self.path, dtype, prod(entry.shape), offset=at)
        except OSError as error:
            raise PellucidError(
                f"{name} is still in {self.path}, which cannot be read any more "
                f"({error.strerror}): load the trace from where it is now."
            ) from None
        if not same or values.nbytes != entry.nbytes:
            raise PellucidError(
                f"{self.path} has changed since the trace was loaded from it: load it again."
            )
        return lock(values.reshape(entry.shape))


class StoredTensors(Mapping[str, Array]):
    """Tensors of a file by name: each is read when it is first asked for, and then kept."""

    def __init__(self, file: TensorFile, stored: Mapping[str, str]) -> None:
        """Take a file, and for each name the one that the tensor has in it."""
        self.file = file
        self.stored = stored
        self.known: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self.known:
            self.known[name] = self.file.read(self.stored[name])
        return self.known[name]

    def __contains__(self, name: object) -> bool:
        return name in self.stored

    def __iter__(self) -> Iterator[str]:
        return iter(self.stored)

    def __len__(self) -> int:
        return len(self.stored)


def stamp_of(path: Path) -> tuple[int, int]:
    """A file's size, and when it was last written, in nanoseconds."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def read_header(file: BinaryIO, size: int) -> bytes:
    """The JSON between a file's first eight bytes, which say how long it is, and its tensors."""
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > size - 8:
        raise PellucidError(
            f"is not a safetensors file, or has been cut short: it should begin with a header of "
            f"{length} bytes, and has {size} in all."
        )
    if length > LONGEST_HEADER:
        raise PellucidError(
            f"has a header of {length} bytes; more than {LONGEST_HEADER} are not read."
        )
    return file.read(length)


def parse(header: bytes) -> tuple[Mapping[str, str], Mapping[str, Entry]]:
    """Metadata and entries of a header."""
    raw = decode(header, dict[str, msgspec.Raw], "has a header that is not JSON")
    metadata = raw.pop("__metadata__", msgspec.Raw(b"{}"))
    texts = decode(metadata, dict[str, str], "has metadata that are not texts by name")
    return texts, {
        name: decode(entry, Entry, f"says nothing readable of its tensor {printable(name)}")
        for name, entry in raw.items()
    }


def decode(data: bytes | str | msgspec.Raw, kind: Any, fault: str) -> Any:
    """Data of a kind, from JSON that may hold anything.

    Raises:
        PellucidError: it is not of that kind; begins with the fault.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (ValueError, RecursionError) as error:
        raise PellucidError(f"{fault}: {printable(str(error))}.") from None


def check_places(entries: Mapping[str, Entry], size: int) -> None:
    """The tensors fill all bytes after the header, none of them twice."""
    end = 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1].data_offsets):
        start, stop = entry.data_offsets
        if start != end or stop - start != entry.nbytes:
            raise PellucidError(
                f"is damaged: {printable(name)} {list(entry.shape)} in {entry.dtype} should lie at "
                f"{end} to {end + entry.nbytes}, not {start} to {stop}."
            )
        end = stop
    if end != size:
        raise PellucidError(
            f"has been cut short or added to: its tensors take {end} bytes, but {size} are there."
        )


def printable(text: str, most: int = 160) -> str:
    """Text from a file that may hold anything, made fit for one line of an error."""
    shown = "".join(char if char.isprintable() else "�" for char in text[:most])
    return f"{shown}…" if len(text) > most else shown
