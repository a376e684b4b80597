"""A safetensors file, mapped into memory: nothing is read before it is looked at.

The file comes from anywhere, so each word of its header is held against the file before it is
believed. bfloat16, which NumPy lacks, stays as it lies there; see `ops/half.py`.
Source of the format: https://huggingface.co/docs/safetensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from pellucid.errors import PellucidError, did_you_mean
from pellucid.ops.half import BFLOAT16
from pellucid.ops.operation import Array

LENGTH = 8
"""Bytes at a file's beginning that say how long its header is."""
MOST_HEADER = 1 << 25
"""Bytes; that of a model with fifty thousand matrices has a fifth of it."""
MOST_DIMS = 8
DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": BFLOAT16,
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "I16": np.dtype("<i2"),
    "I8": np.dtype("i1"),
    "U64": np.dtype("<u8"),
    "U32": np.dtype("<u4"),
    "U16": np.dtype("<u2"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype("?"),
}


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where an array lies, as the header says it: offsets count from the header's end."""

    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


class SafetensorsFile(Mapping[str, Array]):
    """The arrays of a file by name: views of the mapped file, closed to writing.

    Raises:
        PellucidError: it is missing, or its header does not fit what lies behind it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        mapped = map_file(path)
        header = read_header(path, mapped)
        self.data = mapped[LENGTH + len(header) :]
        self.places = read_places(path, header, len(self.data))

    def __getitem__(self, name: str) -> Array:
        if name not in self.places:
            raise PellucidError(f"{self.path} lacks {name}.{did_you_mean(name, self.places)}")
        place = self.places[name]
        begin, end = place.data_offsets
        array: Array = self.data[begin:end].view(DTYPES[place.dtype]).reshape(place.shape)
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, name: object) -> bool:
        return name in self.places


def map_file(path: Path) -> Array:
    """A file's bytes, mapped and closed to writing."""
    try:
        size = path.stat().st_size
        if size < LENGTH:
            raise PellucidError(f"{path} is damaged: it has {size} bytes and no header.")
        mapped: Array = np.memmap(path, np.uint8, "r").view(np.ndarray)
    except OSError as error:
        raise PellucidError(f"{path} cannot be read: {error.strerror}.") from None
    return mapped


def read_header(path: Path, mapped: Array) -> bytes:
    """The JSON that a file begins with."""
    length = int.from_bytes(mapped[:LENGTH].tobytes(), "little")
    if length > MOST_HEADER:
        raise PellucidError(
            f"{path} says that its header has {length:,} bytes; no model's has more than "
            f"{MOST_HEADER:,}: it is damaged or not safetensors."
        )
    if length > len(mapped) - LENGTH:
        raise PellucidError(
            f"{path} is damaged: it has {len(mapped):,} bytes, "
            f"and says that its header alone has {length:,}."
        )
    return mapped[LENGTH : LENGTH + length].tobytes()


def read_places(path: Path, header: bytes, size: int) -> dict[str, Place]:
    """Where each array lies, checked: within `size` bytes, end to end, each as long as its shape.

    Raises:
        PellucidError: they are not so.
    """
    try:
        fields = msgspec.json.decode(header, type=dict[str, msgspec.Raw])
        fields.pop("__metadata__", None)
        places = {name: msgspec.json.decode(raw, type=Place) for name, raw in fields.items()}
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise PellucidError(f"{path} is damaged or not safetensors: {error}.") from None
    reached = 0
    for name, place in sorted(places.items(), key=lambda item: item[1].data_offsets):
        check_place(path, name, place)
        begin, end = place.data_offsets
        if begin != reached:
            what = "overlaps what lies before it" if begin < reached else "leaves a hole before it"
            raise PellucidError(f"{path} is damaged: {name} begins at {begin} and {what}.")
        reached = end
    if reached != size:
        raise PellucidError(
            f"{path} is damaged: its arrays take {reached:,} bytes, but it has {size:,} for them."
        )
    return places


def check_place(path: Path, name: str, place: Place) -> None:
    """Hold an array's bytes against its shape."""
    if place.dtype not in DTYPES:
        raise PellucidError(
            f"{path}: {name} holds {place.dtype}, which is not honoured; "
            f"what is: {', '.join(DTYPES)}."
        )
    if len(place.shape) > MOST_DIMS or any(length < 0 for length in place.shape):
        raise PellucidError(f"{path} is damaged: {name} has the shape {list(place.shape)}.")
    begin, end = place.data_offsets
    bytes_needed = prod(place.shape) * DTYPES[place.dtype].itemsize
    if begin < 0 or end - begin != bytes_needed:
        raise PellucidError(
            f"{path} is damaged: {name} {list(place.shape)} of {place.dtype} has "
            f"{bytes_needed:,} bytes, not those from {begin} to {end}."
        )
