"""Our parameters laid into the arrays that a family keeps, and these into safetensors files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby
from pathlib import Path

import msgspec
import numpy as np

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.parameters import parameter_specs
from pellucid.files import write_whole
from pellucid.interop.huggingface.export_config import Home
from pellucid.interop.huggingface.family import place_of
from pellucid.interop.huggingface.weights import INDEX, ONE
from pellucid.model.folder import write_weights
from pellucid.ops.operation import Array

MOST_BYTES = 2_000_000_000
"""Of a file, which is made in memory; what is more is divided among several."""
METADATA = {"format": "pt"}
"""By which `transformers` knows that linear maps are as torch keeps them."""


def stored_arrays(home: Home, parameters: Mapping[str, Array]) -> Iterator[dict[str, Array]]:
    """The arrays of a folder by their names there, one block's after the other's.

    A bias that the family has and our model has not is zero.
    """
    specs = parameter_specs(build_graph(home.config))
    dtype = next(iter(parameters.values())).dtype
    for block, names in groupby(specs, key=lambda name: place_of(name).block):
        rooms = Rooms(block, dtype)
        for name in names:
            array = parameters.get(name)
            given = np.zeros(specs[name].shape, dtype) if array is None else array
            rooms.lay(home, name, given)
        yield rooms.arrays


class Rooms:
    """The arrays of one block, made when the first part of them is known."""

    def __init__(self, block: str, dtype: np.dtype[np.floating]) -> None:
        self.block = block
        self.dtype = dtype
        self.arrays: dict[str, Array] = {}

    def lay(self, home: Home, name: str, parameter: Array) -> None:
        """Lay one of our parameters where the family keeps it."""
        place = place_of(name)
        turned = place.is_linear and place.block and home.family.inward

        def room(path: str, shape: tuple[int, ...]) -> Array:
            stored = f"{path.replace('{i}', self.block)}.{place.kind}"
            if stored not in self.arrays:
                self.arrays[stored] = np.zeros(shape[::-1] if turned else shape, self.dtype)
            array = self.arrays[stored]
            return array.T if turned else array

        entry = home.family.entries(home.config)[place.module]
        entry.write(parameter.T if place.is_linear else parameter, room, home.config)


def write_files(
    groups: Iterable[Mapping[str, Array]], folder: Path, *, most_bytes: int = MOST_BYTES
) -> None:
    """Write arrays into one file, or with an index into several.

    No more than one file's arrays are in memory at once.

    Raises:
        OSError: they cannot be written.
    """
    drafts: list[Path] = []
    places: dict[str, int] = {}
    total = 0
    for shard in shards(groups, most_bytes):
        drafts.append(folder / f"{len(drafts)}.draft")
        write_whole(drafts[-1], partial(write_weights, shard, metadata=METADATA))
        places |= dict.fromkeys(shard, len(drafts) - 1)
        total += sum(array.nbytes for array in shard.values())
    names = file_names(len(drafts))
    for draft, name in zip(drafts, names, strict=True):
        draft.rename(folder / name)
    if len(names) > 1:
        index = {
            "metadata": {"total_size": total},
            "weight_map": {name: names[number] for name, number in places.items()},
        }
        write_json(index, folder / INDEX)


def shards(groups: Iterable[Mapping[str, Array]], most_bytes: int) -> Iterator[dict[str, Array]]:
    """The same arrays, as many together as a file may have; one alone may be more than that."""
    held: dict[str, Array] = {}
    size = 0
    for group in groups:
        for name, array in group.items():
            if held and size + array.nbytes > most_bytes:
                yield held
                held, size = {}, 0
            held[name] = array
            size += array.nbytes
    yield held


def file_names(count: int) -> list[str]:
    """What `transformers` calls files of weights."""
    if count == 1:
        return [ONE]
    return [f"model-{number:05}-of-{count:05}.safetensors" for number in range(1, count + 1)]


def write_json(data: object, path: Path) -> None:
    """Write JSON for people to read too.

    Raises:
        OSError: it cannot be written.
    """
    path.write_bytes(msgspec.json.format(msgspec.json.encode(data)) + b"\n")
