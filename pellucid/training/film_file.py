"""FilmFile: the parameters of many steps in one safetensors file, filled while a training goes on.

Each parameter is one tensor with a dim `step` before its own, and the tensor `step` says which step
each place holds: −1 where nothing is yet. The file has its whole size from the beginning, so that
it can be read at any time, and a full disk is noticed before the first step.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping, Sequence
from functools import partial
from math import prod
from pathlib import Path
from typing import IO, Any, Self

import msgspec
import numpy as np

from pellucid.errors import PellucidError
from pellucid.files import flush_to_disk, write_whole
from pellucid.ops.operation import Array
from pellucid.training.film_plan import FilmPlan
from pellucid.training.frames import Frames, Rows

FILM = "film.safetensors"
STEP = "step"
FORMAT = "pellucid film 1"
NOTHING = -1
NAMES = {"float16": "F16", "float32": "F32", "float64": "F64", "int64": "I64"}
"""Of number types in safetensors."""
TYPES = {name: dtype for dtype, name in NAMES.items()}


class Tensor(msgspec.Struct, frozen=True):
    """What the head of a safetensors file says of a tensor; offsets count from its end."""

    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What a film says of itself; all of it is text in the file."""

    plan: FilmPlan
    planned: tuple[int, ...]
    """The step that each place is for."""
    unit: str = "step"
    """What is counted: steps, or epochs where a training goes by them."""

    def metadata(self) -> dict[str, str]:
        """The same as safetensors keeps it."""
        return {"format": FORMAT, "about": msgspec.json.encode(self).decode()}


class FilmFile:
    """A film's file, to be written at any place and read at any time."""

    def __init__(self, path: Path) -> None:
        """Open a film.

        Raises:
            PellucidError: it cannot be read, is damaged, or is no film.
        """
        self.path = path
        self.about, self.tensors, self.start = read_head(path)

    @classmethod
    def create(
        cls, path: Path, shapes: Mapping[str, Sequence[int]], *, dtype: str, about: About
    ) -> Self:
        """Make a film with room for parameters of these shapes at each planned step.

        Raises:
            OSError: it cannot be written, or the disk has no room for all of it.
        """
        write_whole(path, partial(reserve, shapes=shapes, dtype=dtype, about=about))
        return cls(path)

    @property
    def dtype(self) -> str:
        """The type of the parameters as they are kept."""
        return next(TYPES[each.dtype] for name, each in self.tensors.items() if name != STEP)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each parameter at a single step."""
        return {name: each.shape[1:] for name, each in self.tensors.items() if name != STEP}

    def steps(self) -> Array:
        """The step that each place holds, −1 where there is nothing."""
        return np.array(self.mapped(STEP))

    def mapped(self, name: str) -> Array:
        """A tensor [step, …] as it lies in the file."""
        tensor = self.tensors[name]
        place = self.start + tensor.data_offsets[0]
        dtype = np.dtype(TYPES[tensor.dtype]).newbyteorder("<")
        return np.memmap(self.path, dtype, "r", place, tensor.shape)

    def frames(self) -> Frames:
        """What has been kept, in order; read from the file when it is asked for."""
        steps = self.steps()
        made = int((steps != NOTHING).sum())
        arrays = {name: self.mapped(name)[:made] for name in self.shapes()}
        return Frames(tuple(steps[:made].tolist()), self.about.unit, arrays)

    def write(self, place: int, rows: Rows) -> None:
        """Write parameters, or rows of them, at a place; see `mark`.

        Raises:
            OSError: it cannot be written.
        """
        with self.path.open("r+b", buffering=0) as file:
            for name, (first, array) in rows.items():
                _, *shape = self.tensors[name].shape
                self.put(file, name, place * prod(shape) + first * prod(shape[1:]), array)

    def mark(self, place: int) -> None:
        """Say that everything of a place has been written.

        Raises:
            OSError: it cannot be written.
        """
        with self.path.open("r+b", buffering=0) as file:
            self.put(file, STEP, place, np.array(self.about.planned[place], np.int64))

    def cut_back(self, step: int) -> None:
        """Forget what was kept after a step.

        Raises:
            OSError: it cannot be written.
        """
        steps = self.steps()
        with self.path.open("r+b", buffering=0) as file:
            self.put(file, STEP, 0, np.where(steps > step, NOTHING, steps))

    def put(self, file: IO[bytes], name: str, place: int, array: Array) -> None:
        """Write numbers into a tensor from its number `place` on."""
        tensor = self.tensors[name]
        dtype = np.dtype(TYPES[tensor.dtype]).newbyteorder("<")
        content = np.ascontiguousarray(array, dtype).reshape(-1).data.cast("B")
        file.seek(self.start + tensor.data_offsets[0] + place * dtype.itemsize)
        # The last bytes of a disk take a part; what is left then raises.
        while content:
            content = content[file.write(content) :]

    def flush(self) -> None:
        """Wait until the disk has everything.

        Raises:
            OSError: it cannot be written.
        """
        flush_to_disk(self.path)


def write_film(path: Path, frames: Frames, *, about: About) -> None:
    """Write a film that has these frames in its first places, whole before it takes its name.

    Raises:
        OSError: it cannot be written.
    """
    shapes = {name: array.shape[1:] for name, array in frames.arrays.items()}
    dtype = next(iter(frames.arrays.values())).dtype.name

    def fill(draft: Path) -> None:
        reserve(draft, shapes=shapes, dtype=dtype, about=about)
        film = FilmFile(draft)
        for place in range(len(frames.steps)):
            film.write(place, {name: (0, array) for name, array in frames.at(place).items()})
            film.mark(place)

    write_whole(path, fill, sync=True)


def reserve(draft: Path, *, shapes: Mapping[str, Sequence[int]], dtype: str, about: About) -> None:
    """Fill a file with a head, the disk's room for every step, and the word that there is none."""
    count = len(about.planned)
    head, size = make_head(shapes, dtype=dtype, about=about)
    with draft.open("wb") as file:
        file.write(head)
        file.write(np.full(count, NOTHING, "<i8").tobytes())
        file.flush()
        claim(file, len(head) + size)
        file.truncate(len(head) + size)


def claim(file: IO[bytes], size: int) -> None:
    """Have the disk set so many bytes aside, where that can be asked for.

    Without it a disk would be found full in the middle of the training.

    Raises:
        OSError: it has no room for them.
    """
    if not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(file.fileno(), 0, size)
    except OSError as error:
        # Some file systems set nothing aside.
        if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
            raise


def make_head(
    shapes: Mapping[str, Sequence[int]], *, dtype: str, about: About
) -> tuple[bytes, int]:
    """The head of the file, its own length before it, and how many bytes of numbers follow it."""
    count = len(about.planned)
    named = {STEP: ("int64", (count,))} | {
        name: (dtype, (count, *shape)) for name, shape in shapes.items()
    }
    found: dict[str, Any] = {"__metadata__": about.metadata()}
    place = 0
    for name, (kind, shape) in named.items():
        end = place + prod(shape) * np.dtype(kind).itemsize
        found[name] = {"dtype": NAMES[kind], "shape": shape, "data_offsets": (place, end)}
        place = end
    text = json.dumps(found).encode()
    padded = text.ljust(-(-len(text) // 8) * 8)
    return len(padded).to_bytes(8, "little") + padded, place


def read_head(path: Path) -> tuple[About, dict[str, Tensor], int]:
    """What a film says of itself, its tensors, and where their numbers begin.

    Raises:
        PellucidError: it cannot be read, is damaged, or is no film.
    """
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            size = os.fstat(file.fileno()).st_size
            found = msgspec.json.decode(file.read(min(length, size)))
    except OSError as error:
        raise PellucidError(f"{path} cannot be read: {error.strerror}.") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise PellucidError(f"{path} is damaged or not safetensors.") from None
    metadata = found.pop("__metadata__", {}) if isinstance(found, dict) else {}
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        raise PellucidError(f"{path} is no film of a training, or one of another version.")
    try:
        about = msgspec.json.decode(metadata["about"], type=About)
        tensors = msgspec.convert(found, dict[str, Tensor])
        check_tensors(about, tensors, size - 8 - length)
    except (msgspec.MsgspecError, KeyError, ValueError) as error:
        raise PellucidError(f"{path} is damaged: {error}.") from None
    return about, tensors, 8 + length


def check_tensors(about: About, tensors: Mapping[str, Tensor], size: int) -> None:
    """Raise ValueError unless so many bytes hold these tensors, with a place for each step."""
    if STEP not in tensors or len(tensors) < 2:
        raise ValueError("it has no steps or no parameters")
    for name, tensor in tensors.items():
        low, high = tensor.data_offsets
        if tensor.shape[:1] != (len(about.planned),):
            raise ValueError(f"{name} is not of {len(about.planned)} steps")
        if tensor.dtype not in TYPES or (name == STEP) != (tensor.dtype == "I64"):
            raise ValueError(f"{name} is of type {tensor.dtype}")
        wide = np.dtype(TYPES[tensor.dtype]).itemsize
        if not 0 <= low <= high <= size or high - low != prod(tensor.shape) * wide:
            raise ValueError(f"{name} does not fit into the file")
