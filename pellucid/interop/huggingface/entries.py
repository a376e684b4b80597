"""Where a family keeps what one of our parameters is: whole, or as a part of a fused array.

Arrays come here as `[out, in]`, or `[out]` for a bias. A path has `{i}` for the number of a block.
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


@dataclass(frozen=True, slots=True)
class Whole:
    """A module's array, as it is."""

    path: str

    def read(self, fetch: Fetch, config: ModelConfig) -> Array:
        return fetch(self.path)


@dataclass(frozen=True, slots=True)
class Behind:
    """A table without its first rows: OPT's positions begin with the third."""

    path: str
    rows: int

    def read(self, fetch: Fetch, config: ModelConfig) -> Array:
        return fetch(self.path)[self.rows :]


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
        n_head, n_kv_head = config.n_head, config.n_kv_head
        groups = n_kv_head if self.by_group else 1
        sizes = (n_head // groups, n_kv_head // groups, n_kv_head // groups)
        rows = groups * sum(sizes) * config.d_head
        if len(fused) != rows:
            raise PellucidError(
                f"{self.path} has {len(fused)} outputs, but queries of {n_head} heads, keys and "
                f"values of {n_kv_head}, of {config.d_head} numbers each, are {rows}."
            )
        which = "qkv".index(self.part)
        begin = sum(sizes[:which])
        heads = fused.reshape(groups, -1, config.d_head, *fused.shape[1:])
        part: Array = heads[:, begin : begin + sizes[which]].reshape(-1, *fused.shape[1:])
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


@dataclass(frozen=True, slots=True)
class ByHead:
    """An array for each head, under its number `{j}`, laid together."""

    path: str
    heads: Literal["n_head", "n_kv_head"]

    def read(self, fetch: Fetch, config: ModelConfig) -> Array:
        count = getattr(config, self.heads)
        return np.stack([fetch(self.path.replace("{j}", str(j))) for j in range(count)])


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


@dataclass(frozen=True, slots=True)
class MoreByOne:
    """Gains kept as what is multiplied by, 1 + γ; this gives γ."""

    path: str

    def read(self, fetch: Fetch, config: ModelConfig) -> Array:
        gains: Array = fetch(self.path) - np.float32(1)
        return gains


Entry = Whole | Behind | QueryKeyValue | Half | ByHead | Paired | MoreByOne
