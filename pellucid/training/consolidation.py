"""Consolidation: shards written together as one safetensors file, an array at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np

from pellucid.files import write_whole
from pellucid.training.shards import Shards

NAMES = {"float32": "F32", "float64": "F64"}
"""Of number types in safetensors."""
ALIGNMENT = 8
"""Bytes: the numbers begin at a multiple of it."""


def consolidate(shards: Shards, names: Iterable[str], path: Path) -> None:
    """Write these arrays whole into one file; no more is in memory than a shard has of one array.

    Raises:
        OSError: it cannot be written.
    """
    write_whole(path, partial(_fill, shards, tuple(names)), sync=True)


def _fill(shards: Shards, names: tuple[str, ...], draft: Path) -> None:
    with draft.open("wb") as file:
        file.write(header(shards, names))
        for name in names:
            write_array(shards, name, file)


def header(shards: Shards, names: Iterable[str]) -> bytes:
    """The head of the file: its own length, then where each array is, as JSON."""
    found, place = {}, 0
    for name in names:
        end = place + shards.n_bytes(name)
        found[name] = {
            "dtype": NAMES[shards.index.dtype],
            "shape": shards.index.arrays[name].shape,
            "data_offsets": (place, end),
        }
        place = end
    text = json.dumps(found).encode()
    padded = text.ljust(-(-len(text) // ALIGNMENT) * ALIGNMENT)
    return len(padded).to_bytes(8, "little") + padded


def write_array(shards: Shards, name: str, file: IO[bytes]) -> None:
    """Write the numbers of one array in order."""
    for piece in shards.pieces(name):
        little = np.ascontiguousarray(piece, dtype=piece.dtype.newbyteorder("<"))
        file.write(little.data)
