"""Where a family keeps what one of our parameters is: whole, or as a part of a fused array.

Arrays come here as `[out, in]`, or `[out]` for a bias. A path has `{i}` for the number of a block.
What `read` takes out of a folder's arrays, `write` lays into them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError
from pellucid.ops.operation import Array

Fetch = Callable[[str], Array]
"""Gives the array of a module, from its path."""
Room = Callable[[str, tuple[int, ...]], Array]
"""Gives an array to be written to, from a module's path and its shape; the same each time."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A module's array, as it is."""

    path: str

    def read(self, fetch: Fetch, config: ModelConfig) -> Array:
        return fetch(self.path)

    def write(self, array: Array, room: Room, config: ModelConfig) -> None:
        room(self.path, array.shape)[...] = array


@dataclass(frozen=True, slots=True)
class Behind:
    """A table without its first rows: OPT's positions begin with the third."""

    path: str
    rows: int

    def read(self, fetch: Fetch, config: ModelConfig) -> Array:
        return fetch(self.path)[self.rows :]

    def write(self, array: Array, room: Room, config: ModelConfig) -> None:
        room(self.path, (self.rows + len(array), *array.shape[1:]))[self.rows :] = array


@dataclass(frozen=True, slots=True)
class QueryKeyValue:
    """Queries, keys or values out of one array of all three.

    With `by_group` they lie group by group: the queries that share a key, that key, its value. Else
    all queries come first, then all keys, then all values.
    """

    path: str
    part: Literal["q", "k", "v"]
    by_group: bool = False

    def read(self, fetch: Fetch, config: ModelConfig) -> Array:
        fused = fetch(self.path)
        rows = (config.n_head + 2 * config.n_kv_head) * config.d_head
        if len(fused) != rows:
            raise PellucidError(
                f"{self.path} has {len(fused)} outputs, but queries of {config.n_head} heads, keys "
                f"and values of {config.n_kv_head}, of {config.d_head} numbers each, are {rows}."
            )
        part: Array = self.heads(fused, config).reshape(-1, *fused.shape[1:])
        return part

    def write(self, array: Array, room: Room, config: ModelConfig) -> None:
        rows = (config.n_head + 2 * config.n_kv_head) * config.d_head
        heads = self.heads(room(self.path, (rows, *array.shape[1:])), config)
        heads[...] = array.reshape(heads.shape)

    def heads(self, fused: Array, config: ModelConfig) -> Array:
        """Those of this part, `[group, head, d_head, ...]`: a view of the array of all."""
        groups = config.n_kv_head if self.by_group else 1
        counts = (config.n_head // groups, *[config.n_kv_head // groups] * 2)
        which = "qkv".index(self.part)
        begin = sum(counts[:which])
        heads = fused.reshape(groups, -1, config.d_head, *fused.shape[1:])
        part: Array = heads[:, begin : begin + counts[which]]
        return part


@dataclass(frozen=True, slots=True)
class Half:
    """The first or the second half of an array: Phi-3's gate and what it multiplies."""

    path: str
    which: Literal[0, 1]

    def read(self, fetch: Fetch, config: ModelConfig) -> Array:
        both = fetch(self.path)
        middle = len(both) // 2
        return both[middle:] if self.which else both[:middle]

    def write(self, array: Array, room: Room, config: ModelConfig) -> None:
        rows = len(array)
        both = room(self.path, (2 * rows, *array.shape[1:]))
        both[self.which * rows :][:rows] = array


@dataclass(frozen=True, slots=True)
class ByHead:
    """An array for each head, under its number `{j}`, laid together."""

    path: str
    heads: Literal["n_head", "n_kv_head"]

    def read(self, fetch: Fetch, config: ModelConfig) -> Array:
        count = getattr(config, self.heads)
        return np.stack([fetch(self.path.replace("{j}", str(j))) for j in range(count)])

    def write(self, array: Array, room: Room, config: ModelConfig) -> None:
        for j, row in enumerate(array):
            room(self.path.replace("{j}", str(j)), row.shape)[...] = row


@dataclass(frozen=True, slots=True)
class Paired:
    """Rows of heads in which the two numbers that turn together are neighbours.

    `transformers` keeps them half a head apart, and so does what this gives.
    """

    path: str
    heads: Literal["n_head", "n_kv_head"]

    def read(self, fetch: Fetch, config: ModelConfig) -> Array:
        rows = fetch(self.path)
        count, shape = getattr(config, self.heads), rows.shape
        if shape[0] != count * config.d_head:
            raise PellucidError(
                f"{self.path} has {shape[0]} outputs, but {count} heads of {config.d_head} numbers "
                f"each are {count * config.d_head}."
            )
        pairs = rows.reshape(count, config.d_head // 2, 2, *shape[1:])
        halves: Array = pairs.swapaxes(1, 2).reshape(shape)
        return halves

    def write(self, array: Array, room: Room, config: ModelConfig) -> None:
        halves = array.reshape(-1, 2, config.d_head // 2, *array.shape[1:])
        room(self.path, array.shape)[...] = halves.swapaxes(1, 2).reshape(array.shape)


@dataclass(frozen=True, slots=True)
class MoreByOne:
    """Gains kept as what is multiplied by, 1 + γ; this gives γ."""

    path: str

    def read(self, fetch: Fetch, config: ModelConfig) -> Array:
        gains: Array = fetch(self.path) - np.float32(1)
        return gains

    def write(self, array: Array, room: Room, config: ModelConfig) -> None:
        room(self.path, array.shape)[...] = array + np.float32(1)


Entry = Whole | Behind | QueryKeyValue | Half | ByHead | Paired | MoreByOne
