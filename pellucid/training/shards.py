"""Shards: arrays spread over several files by rows, and a JSON index that says where each part is.

Every process writes the rows that it has, and reads of any number of files the rows that it needs:
as many may read as like. The files are safetensors; there is no pickle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from math import prod
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from pellucid.errors import PellucidError
from pellucid.files import write_whole
from pellucid.model.folder import write_weights
from pellucid.ops.operation import Array

INDEX = "shards.json"
FORMAT = 1
DTYPES = ("float32", "float64")


class Rows(msgspec.Struct, frozen=True):
    """Rows of an array, from `start` to before `stop`, and the file that has them."""

    file: str
    start: int
    stop: int


class Spread(msgspec.Struct, frozen=True):
    """One array: its shape, and where its rows are, in order."""

    shape: tuple[int, ...]
    parts: tuple[Rows, ...]


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """What `shards.json` says."""

    format: int
    save: str
    """A word that this save alone has; each of its files bears it."""
    step: int
    dtype: str
    arrays: dict[str, Spread]


def rows_of(length: int, shard: int, shards: int) -> tuple[int, int]:
    """Which rows of so many a shard has: as many as any other, but that the last have fewer.

    As `torch.chunk` cuts, and so PyTorch's `Shard(0)`.
    """
    each = -(-length // shards)
    return min(length, shard * each), min(length, (shard + 1) * each)


def file_of(shard: int, shards: int) -> str:
    """The name of a shard's file; they count from 1 on disk."""
    return f"shard-{shard + 1:05}-of-{shards:05}.safetensors"


def make_index(
    shapes: Mapping[str, tuple[int, ...]], *, dtype: str, shards: int, save: str, step: int
) -> Index:
    """The index of arrays of these shapes in so many shards."""
    arrays = {}
    for name, shape in shapes.items():
        cuts = (rows_of(shape[0], shard, shards) for shard in range(shards))
        parts = (Rows(file_of(i, shards), *cut) for i, cut in enumerate(cuts) if cut[0] < cut[1])
        arrays[name] = Spread(shape, tuple(parts))
    return Index(format=FORMAT, save=save, step=step, dtype=dtype, arrays=arrays)


def write_shard(
    folder: Path, arrays: Mapping[str, Array], *, shard: int, shards: int, save: str
) -> None:
    """Write a shard's rows of each array.

    Raises:
        OSError: the file cannot be written.
    """
    filled = {name: array for name, array in arrays.items() if len(array)}
    write = partial(write_weights, filled, metadata={"save": save})
    write_whole(folder / file_of(shard, shards), write, sync=True)


def write_index(folder: Path, index: Index) -> None:
    """Write the index, once every shard is there.

    Raises:
        OSError: it cannot be written.
    """
    content = msgspec.json.encode(index) + b"\n"
    write_whole(folder / INDEX, lambda path: path.write_bytes(content), sync=True)


class Shards:
    """The arrays of a folder, read by rows."""

    def __init__(self, folder: Path) -> None:
        """Open the folder.

        Raises:
            PellucidError: the index cannot be read or is not what the files have, or a file is
                missing or of another save.
        """
        self.folder = folder
        self.index = read_index(folder / INDEX)
        self.open = cache(self._open)
        for name, spread in self.index.arrays.items():
            self.check(name, spread)

    def check(self, name: str, spread: Spread) -> None:
        """Raise `PellucidError` unless the files have all rows of an array, and in order."""
        end = 0
        for part in spread.parts:
            file = self.open(part.file)
            shape = file.get_slice(name).get_shape() if name in file.keys() else None  # noqa: SIM118
            if part.start != end or shape != [part.stop - part.start, *spread.shape[1:]]:
                raise self.other_than_said(f"rows {part.start} to {part.stop} of {name}")
            end = part.stop
        if [end] != list(spread.shape[:1]):
            raise self.other_than_said(f"the rows of {name}, {list(spread.shape)}")

    def other_than_said(self, what: str) -> PellucidError:
        """The error of an index that tells of what is not there."""
        return PellucidError(
            f"{self.folder / INDEX} is damaged: it tells of {what}, and they are not in the files "
            "beside it."
        )

    def __contains__(self, name: str) -> bool:
        return name in self.index.arrays

    def read(self, name: str, start: int = 0, stop: int | None = None) -> Array:
        """Rows of an array, from `start` to before `stop`; all unless given."""
        spread = self.index.arrays[name]
        stop = spread.shape[0] if stop is None else stop
        rows: Array = np.empty((stop - start, *spread.shape[1:]), self.index.dtype)
        for part in spread.parts:
            low, high = max(start, part.start), min(stop, part.stop)
            if low < high:
                found = self.open(part.file).get_slice(name)
                rows[low - start : high - start] = found[low - part.start : high - part.start]
        return rows

    def pieces(self, name: str) -> Iterator[Array]:
        """An array in order, as much at once as one file has."""
        for part in self.index.arrays[name].parts:
            yield self.read(name, part.start, part.stop)

    def n_bytes(self, name: str) -> int:
        """How large an array is."""
        return prod(self.index.arrays[name].shape) * np.dtype(self.index.dtype).itemsize

    def _open(self, file: str) -> Any:
        from safetensors import SafetensorError, safe_open

        path = self.folder / file
        try:
            opened: Any = safe_open(path, "numpy")
        except FileNotFoundError:
            raise PellucidError(f"{path} is missing: the checkpoint is not whole.") from None
        except (SafetensorError, OSError) as error:
            raise PellucidError(f"{path} is damaged or not safetensors: {error}.") from None
        metadata: Mapping[str, str] | None = opened.metadata()
        save = (metadata or {}).get("save")
        if save != self.index.save:
            raise PellucidError(
                f"{path} is of another save ({save}) than {INDEX} beside it ({self.index.save}): "
                "files of different checkpoints are mixed. Take all of them from one."
            )
        return opened


def read_index(path: Path) -> Index:
    """What `shards.json` says.

    Raises:
        PellucidError: it cannot be read, or another version of Pellucid wrote it.
    """
    try:
        index = msgspec.json.decode(path.read_bytes(), type=Index)
    except OSError as error:
        raise PellucidError(f"{path} cannot be read: {error.strerror}.") from None
    except msgspec.MsgspecError as error:
        raise PellucidError(f"{path} is damaged: {error}.") from None
    if index.format != FORMAT:
        raise PellucidError(
            f"{path} is of format {index.format}, and this version of Pellucid reads {FORMAT}: "
            "take the version that wrote it."
        )
    if index.dtype not in DTYPES:
        raise PellucidError(
            f"{path} is damaged: dtype {index.dtype!r} is not {' or '.join(DTYPES)}."
        )
    return index
