"""Keys and values of the positions that have been read, so that none is worked out twice."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.decoder.graph import Graph
from pellucid.errors import PellucidError
from pellucid.ops.operation import Array

FIRST_ROOM = 1024
"""So many positions have room from the start: contexts of real models go into the millions."""


class KeyValueCache:
    """What a decoding remembers: for each `keys` and `values` step an array that grows.

    Texts of different lengths stand in one batch: `lengths` `[batch]` says how many positions of
    each have been read. A slot past a text's length may hold anything; the causal mask, which goes
    by position, never lets it through. `written` `[batch, key]` has the number of the run that
    wrote each slot, from 0; −1 where none did.
    """

    def __init__(self, graph: Graph, *, batch: int, dtype: Any) -> None:
        """An empty cache for `batch` texts, which makes room as they grow, up to the context."""
        self.graph = graph
        sizes = graph.sizes
        self.capacity = sizes["position"]
        slots = min(self.capacity, FIRST_ROOM)
        shape = (batch, sizes["kv_head"], slots, sizes["d_head"])
        names = [node.name for node in graph.nodes if node.op.kind == "remember"]
        self.dtype = dtype
        self.store = {name: self.room(shape) for name in names}
        self.lengths = np.zeros(batch, dtype=np.int64)
        self.written = np.full((batch, slots), -1, dtype=np.int64)
        self.runs = 0

    def room(self, shape: tuple[int, ...]) -> Any:
        """Memory for keys or values."""
        return np.zeros(shape, dtype=self.dtype)

    def positions(self, count: int) -> Array:
        """Where the next `count` tokens of each text stand, `[batch, position]`.

        Raises:
            PellucidError: they do not fit into the context.
        """
        longest = int(self.lengths.max()) + count
        if longest > self.capacity:
            raise PellucidError(
                f"{longest} positions do not fit into a context of {self.capacity}."
            )
        self.make_room(longest)
        return self.lengths[:, None] + np.arange(count)

    def make_room(self, length: int) -> None:
        """Have slots for texts of `length`: twice as many as there were, where they run out."""
        batch, before = self.written.shape
        if length <= before:
            return
        slots = min(self.capacity, max(length, 2 * before))
        self.written = np.pad(self.written, ((0, 0), (0, slots - before)), constant_values=-1)
        for name, old in self.store.items():
            new = self.room((batch, old.shape[1], slots, old.shape[3]))
            new[:, :, :before] = old
            self.store[name] = new

    def grows_to(self, length: int) -> bool:
        """Whether what is remembered of a text stands when it has one position more: `length`."""
        return self.graph.same_at(length - 1, length)

    def extend(self, name: str, new: Array, positions: Array) -> Array:
        """Write what a run made of new positions; returns that of every position so far.

        Args:
            name: of the step.
            new: `[batch, kv_head, position, d_head]`.
            positions: `[batch, position]`.

        Returns:
            `[batch, kv_head, key, d_head]`, a view up to the last position of the longest text.
        """
        store = self.store[name]
        end = int(positions.max()) + 1
        if len(store) == 1:
            # One text's positions lie side by side: a slice is written in a fifth of the time.
            store[:, :, end - positions.shape[1] : end] = new
        else:
            store[np.arange(len(store))[:, None], :, positions] = new.swapaxes(1, 2)
        so_far: Array = store[:, :, :end]
        return so_far

    def advance(self, counts: Array, positions: Array) -> None:
        """Count what a run has read: `counts` `[batch]` of its positions are real."""
        texts = np.arange(len(self.lengths))[:, None]
        real = np.arange(positions.shape[1]) < counts[:, None]
        self.written[texts, positions] = np.where(real, self.runs, -1)
        self.lengths = self.lengths + counts
        self.runs += 1

    def select(self, texts: Array) -> None:
        """Go on with these texts alone, `[batch]`: some of them left out, in another order, or one
        several times over.
        """
        longest = int(self.lengths[texts].max(initial=0))
        for name, old in self.store.items():
            new = self.room((len(texts), *old.shape[1:]))
            new[:, :, :longest] = old[texts, :, :longest]
            self.store[name] = new
        self.lengths, self.written = self.lengths[texts], self.written[texts]

    def clear(self) -> None:
        """Forget everything."""
        self.lengths = np.zeros_like(self.lengths)
        self.written.fill(-1)
