"""The beginning of a GGUF file: what it says of the model, and where its arrays lie.

The `gguf` library reads it too, but makes an array of each of a vocabulary's hundred thousand
strings, which takes seconds, and trusts every length. Source: the specification, version 3,
`docs/gguf.md` of ggml.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pellucid.errors import PellucidError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_BYTES = 1 << 28
"""Of all that stands before the arrays. A vocabulary of a quarter million has 20 MB."""
MOST_NESTED = 4
"""Arrays within arrays."""
MOST_DIMS = 4
STRING, ARRAY = 8, 9
SCALARS: Mapping[int, str] = {
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d",
}  # fmt: skip
"""By the number of its type, how one value is packed."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Where an array lies: its shape in our order, ggml's type, and where it begins."""

    name: str
    shape: tuple[int, ...]
    kind: int
    begin: int
    """In bytes from the start of the file."""


@dataclass(frozen=True, slots=True)
class Header:
    """All that stands before the arrays."""

    fields: Mapping[str, Any]
    arrays: Mapping[str, Stored]


class Reading:
    """Reads values one after the other, none of them beyond the end of the file."""

    def __init__(self, path: Path, file: BinaryIO, size: int) -> None:
        self.path, self.file = path, file
        self.left = min(size, MOST_BYTES)

    def bytes(self, count: int) -> bytes:
        """So many bytes; an error where the file has fewer."""
        if count > self.left:
            raise self.damaged(
                f"{count:,} more bytes should follow where {self.left:,} are left of it, "
                f"or of the {MOST_BYTES:,} that a beginning may have"
            )
        self.left -= count
        read = self.file.read(count)
        if len(read) != count:
            raise self.damaged("it became shorter while it was read")
        return read

    def number(self, packed: str) -> Any:
        """One number, little-endian."""
        return struct.unpack(f"<{packed}", self.bytes(struct.calcsize(f"<{packed}")))[0]

    def text(self) -> str:
        """A string; bytes that are no UTF-8 are kept as surrogates."""
        return self.bytes(self.number("Q")).decode("utf-8", errors="surrogateescape")

    def value(self, kind: int, depth: int = 0) -> Any:
        """A value of a type: a number, a string, an array of numbers, or a list of others."""
        if kind in SCALARS:
            return self.number(SCALARS[kind])
        if kind == STRING:
            return self.text()
        if kind == ARRAY and depth < MOST_NESTED:
            return self.items(self.number("I"), self.number("Q"), depth + 1)
        raise self.damaged(f"a value has type {kind}, which there is not")

    def items(self, kind: int, count: int, depth: int) -> Any:
        """The values of an array."""
        if kind in SCALARS:
            return np.frombuffer(self.bytes(count * width(kind)), f"<{SCALARS[kind]}")
        # Each takes at least the eight bytes of its length.
        if 8 * count > self.left:
            raise self.damaged(f"it ends before the {count:,} values of an array")
        return [self.value(kind, depth) for _ in range(count)]

    def damaged(self, why: str) -> PellucidError:
        return PellucidError(f"{self.path} is no whole GGUF file: {why}.")


def width(kind: int) -> int:
    """The bytes of one number."""
    return struct.calcsize(f"<{SCALARS[kind]}")


def read_header(path: Path) -> Header:
    """What a GGUF file says before its arrays.

    Raises:
        PellucidError: it cannot be read, is another kind of file, is damaged, or of a version or a
            byte order that is not read.
    """
    try:
        with path.open("rb") as file:
            return read_from(Reading(path, file, path.stat().st_size))
    except OSError as error:
        raise PellucidError(f"{path} cannot be read: {error.strerror}.") from None


def read_from(reading: Reading) -> Header:
    """The header, from the start of a file."""
    whole = reading.left
    if reading.bytes(min(4, whole)) != MAGIC:
        raise PellucidError(f"{reading.path} is not a GGUF file.")
    version = reading.number("I")
    if version not in VERSIONS:
        raise PellucidError(
            f"{reading.path} is a GGUF file of version {version} or of another byte order: "
            f"versions {' and '.join(map(str, VERSIONS))} are read."
        )
    n_arrays, n_fields = reading.number("Q"), reading.number("Q")
    fields = once(reading, n_fields, lambda: (reading.text(), reading.value(reading.number("I"))))
    infos = once(reading, n_arrays, lambda: array_info(reading))
    step = alignment(reading, fields)
    start = -(-(whole - reading.left) // step) * step
    arrays = {
        name: Stored(name, shape, kind, start + offset)
        for name, (shape, kind, offset) in infos.items()
    }
    return Header(fields, arrays)


def once(reading: Reading, count: int, read: Callable[[], tuple[str, Any]]) -> dict[str, Any]:
    """So many named things, no name twice."""
    found: dict[str, Any] = {}
    for _ in range(count):
        name, value = read()
        if name in found:
            raise reading.damaged(f"it has {name!r} twice")
        found[name] = value
    return found


def array_info(reading: Reading) -> tuple[str, tuple[tuple[int, ...], int, int]]:
    """The name of an array, its shape, its type and where it lies."""
    name, n_dims = reading.text(), reading.number("I")
    if n_dims > MOST_DIMS:
        raise reading.damaged(f"{name!r} has {n_dims} dims")
    # ggml names the dim that varies fastest first.
    shape = tuple(reading.number("Q") for _ in range(n_dims))[::-1]
    if prod(shape) > np.iinfo(np.int64).max:
        raise reading.damaged(f"{name!r} has {prod(shape)} numbers")
    return name, (shape, reading.number("I"), reading.number("Q"))


def alignment(reading: Reading, fields: Mapping[str, Any]) -> int:
    """Arrays begin at multiples of so many bytes."""
    step = fields.get("general.alignment", 32)
    if not isinstance(step, int) or step < 1 or step & (step - 1):
        raise reading.damaged(f"general.alignment={step!r} is no power of two")
    return step
