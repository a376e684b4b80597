"""The arrays of a GGUF file: views of the mapped file, or made float32 where they are quantised."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from pellucid.errors import PellucidError, did_you_mean
from pellucid.interop.gguf.header import Stored
from pellucid.interop.safetensors_file import map_file
from pellucid.ops.half import BFLOAT16
from pellucid.ops.operation import Array

PLAIN: Mapping[int, np.dtype[Any]] = {
    0: np.dtype("<f4"),
    1: np.dtype("<f2"),
    28: np.dtype("<f8"),
    30: BFLOAT16,
}
"""By ggml's number of a type, those that lie in a file as they lie in memory."""
AT_ONCE = 1 << 18
"""So many numbers are dequantised together: what a step takes beside its result stays small."""


class GgufArrays(Mapping[str, Array]):
    """Every array of a file by its name.

    Numbers of 16 to 64 bits are views, closed to writing. Quantised ones are made anew for each
    asking, but for an array that is still in use somewhere.

    Raises:
        PellucidError: an array is of a type that is not read, or reaches beyond the file.
    """

    def __init__(self, path: Path, places: Mapping[str, Stored]) -> None:
        self.path = path
        self.data = map_file(path)
        self.places = places
        self.in_use: WeakValueDictionary[str, Array] = WeakValueDictionary()
        for place in places.values():
            self.check(place)

    def __getitem__(self, name: str) -> Array:
        if name not in self.places:
            raise PellucidError(f"{self.path} lacks {name}.{did_you_mean(name, self.places)}")
        place = self.places[name]
        if place.kind in PLAIN:
            plain: Array = self.bytes_of(place).view(PLAIN[place.kind]).reshape(place.shape)
            return plain
        # Of queries, keys and values in one array each is asked for by itself.
        array = self.in_use.get(name)
        if array is None:
            self.in_use[name] = array = self.dequantised(place)
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, name: object) -> bool:
        return name in self.places

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of an array, which itself is left alone."""
        if name not in self.places:
            raise PellucidError(f"{self.path} lacks {name}.{did_you_mean(name, self.places)}")
        return self.places[name].shape

    def without(self, names: Collection[str]) -> GgufArrays:
        """The same file, some of its arrays passed over."""
        return GgufArrays(self.path, {n: p for n, p in self.places.items() if n not in names})

    def outline(self, without: Collection[str]) -> dict[str, Array]:
        """Zeros in the shape and the precision of each array, which take no memory."""
        return {
            name: np.broadcast_to(PLAIN.get(place.kind, PLAIN[0]).type(0), place.shape)
            for name, place in self.places.items()
            if name not in without
        }

    def check(self, place: Stored) -> None:
        """Hold an array's shape and type against the file."""
        block, size = layout_of(self.path, place)
        width = place.shape[-1] if place.shape else 1
        if width % block:
            raise PellucidError(
                f"{self.path} is damaged: rows of {place.name} have {width} numbers, "
                f"which are stored {block} at a time."
            )
        end = place.begin + prod(place.shape) // block * size
        if end > len(self.data):
            raise PellucidError(
                f"{self.path} is damaged: {place.name} should end at byte {end:,}, "
                f"but the file has {len(self.data):,}."
            )

    def bytes_of(self, place: Stored) -> Array:
        """The bytes of an array, as they lie in the file."""
        block, size = layout_of(self.path, place)
        stored: Array = self.data[place.begin : place.begin + prod(place.shape) // block * size]
        return stored

    def dequantised(self, place: Stored) -> Array:
        """An array in float32, which owns its memory."""
        from gguf.constants import GGMLQuantizationType
        from gguf.quants import dequantize

        block, size = layout_of(self.path, place)
        kind = GGMLQuantizationType(place.kind)
        stored = self.bytes_of(place).reshape(-1, size)
        array = np.empty(place.shape, np.float32)
        rows = array.reshape(-1, block)
        step = max(1, AT_ONCE // block)
        for begin in range(0, len(rows), step):
            try:
                # As one long row: the library takes few rows at a time, however short they are.
                part = dequantize(stored[begin : begin + step].reshape(1, -1), kind)
            except NotImplementedError:
                raise unread(self.path, place) from None
            rows[begin : begin + step] = part.reshape(-1, block)
        return array


def layout_of(path: Path, place: Stored) -> tuple[int, int]:
    """How many numbers of an array are stored together, and in how many bytes."""
    if place.kind in PLAIN:
        return 1, PLAIN[place.kind].itemsize
    from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

    try:
        return GGML_QUANT_SIZES[GGMLQuantizationType(place.kind)]
    except (ValueError, KeyError):
        raise unread(path, place) from None


def unread(path: Path, place: Stored) -> PellucidError:
    """The error that names a type of numbers that is not read."""
    return PellucidError(f"{path}: {place.name} is of ggml's type {place.kind}, which is not read.")
