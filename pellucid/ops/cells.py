"""Cells of a tensor that are chosen by their places along each dim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from pellucid.ops.evidence import Evidence
from pellucid.ops.operation import Array, Dims
from pellucid.ops.term import Index

OF_QUERIES = ("position", "query")
"""Dims along which a run may read a part of a text: where they stand, `positions` says."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Where the chosen places of all dims meet.

    `places` has for each dim the indices that are chosen, each once, or None for all of them. Along
    `position` and `query` they count from the beginning of the text, whatever part of it is read.
    `texts` are places in the batch, `steps` the steps of a generation that read
    a position; None for all.
    """

    dims: Dims
    places: tuple[Array | None, ...]
    texts: Array | None = None
    steps: Array | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        """What a run is given that decides which cells these are: names of a graph's inputs."""
        positions = ("positions",) if any(dim in OF_QUERIES for dim in self.dims) else ()
        return positions if self.steps is None else (*positions, "step")

    def ranks(self, shape: Sequence[int], given: Mapping[str, Array]) -> tuple[Array, ...]:
        """For each axis of `[batch, *dims]` the number of each place among those chosen; −1: none.

        Args:
            shape: of the whole tensor.
            given: what `reads` names, `[batch, position]` each.

        Returns:
            Arrays that spread over the tensor.
        """
        texts = rank(np.arange(shape[0]), self.texts)
        if self.steps is not None and "positions" not in self.reads:
            texts = np.where(np.isin(given["step"][:, -1], self.steps), texts, -1)
        found = [spread(texts, 0, len(shape))]
        for axis, (dim, places) in enumerate(zip(self.dims, self.places, strict=True), start=1):
            if dim in OF_QUERIES:
                of_each = rank(given["positions"], places)
                if self.steps is not None:
                    of_each = np.where(np.isin(given["step"], self.steps), of_each, -1)
                found.append(spread(of_each, axis, len(shape), batch=True))
            else:
                found.append(spread(rank(np.arange(shape[axis]), places), axis, len(shape)))
        return tuple(found)

    def holds(self, cell: Index, seen: Evidence) -> bool:
        """Whether a cell of a single text is one of them; `seen` is what the edit's step read."""
        pairs = zip(cell, self.places, strict=True)
        if not all(places is None or place in places for place, places in pairs):
            return False
        if self.steps is None:
            return True
        step = seen.input(1 + self.reads.index("step")).values
        row = next((p for p, dim in zip(cell, self.dims, strict=True) if dim in OF_QUERIES), -1)
        return bool(np.isin(step[row], self.steps))


def rank(numbers: Array, places: Array | None) -> Array:
    """For each number which of the places it is; −1 where it is none. All are places for None."""
    if places is None:
        return numbers
    size = 1 + max(int(numbers.max(initial=0)), int(places.max(initial=0)))
    table = np.full(size, -1)
    table[places] = np.arange(len(places))
    found: Array = table[numbers]
    return found


def spread(ranks: Array, axis: int, n_axes: int, *, batch: bool = False) -> Array:
    """`[place]`, or `[batch, place]`, in a shape that spreads over an array of so many axes."""
    shape = [1] * n_axes
    if batch:
        shape[0] = len(ranks)
    shape[axis] = ranks.shape[-1]
    return ranks.reshape(shape)


def chosen(ranks: Sequence[Array]) -> Array:
    """True where every axis is at a chosen place; spreads over the tensor."""
    return reduce(np.logical_and, [each >= 0 for each in ranks])


def look_up(numbers: Array, ranks: Sequence[Array]) -> Array:
    """The number that belongs to each cell; spreads over the tensor.

    Args:
        numbers: one for each chosen cell, by the ranks of its places: `[*dims]`, 1 long along a dim
            for the same at all its places. Where a cell is not chosen comes any of them.
        ranks: as `Cells.ranks` gives them; the first, of texts, counts for nothing.
    """
    places = [
        np.clip(each, 0, size - 1) for each, size in zip(ranks[1:], numbers.shape, strict=True)
    ]
    found: Array = numbers[tuple(places)] if places else numbers
    return found
