"""Several places along the dims of a tensor: by index, by label or as a span."""

from __future__ import annotations

import json
from collections.abc import Mapping
from operator import index as whole
from typing import Any, SupportsIndex

import msgspec
import numpy as np

from pellucid.errors import PellucidError
from pellucid.ops.operation import Array
from pellucid.trace.cell import Place, check_dims, find_place
from pellucid.trace.tensor import TracedTensor


class Span(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Places from `start` up to but without `stop`, as in a slice."""

    start: int | None = None
    stop: int | None = None
    step: int | None = None

    @property
    def slice(self) -> slice:
        return slice(self.start, self.stop, self.step)

    def __str__(self) -> str:
        ends = ["" if end is None else str(end) for end in (self.start, self.stop)]
        return ":".join(ends if self.step is None else [*ends, str(self.step)])


Places = int | str | tuple[int | str, ...] | Span
"""An index (negative from the end), a label, several of these, or a span."""


def as_places(cell: Mapping[str, Any]) -> dict[str, Places]:
    """Places as data; a dim for which None is given is left out."""
    return {dim: read_places(dim, place) for dim, place in cell.items() if place is not None}


def read_places(dim: str, place: Any) -> Places:
    """One dim's places as data."""
    if isinstance(place, slice):
        ends = (place.start, place.stop, place.step)
        return Span(*(None if end is None else read_index(dim, end) for end in ends))
    if isinstance(place, list | tuple | range | np.ndarray):
        return tuple(read_place(dim, each) for each in place)
    return place if isinstance(place, Span) else read_place(dim, place)


def read_place(dim: str, place: Place) -> int | str:
    """An index or a label."""
    return place if isinstance(place, str) else read_index(dim, place)


def read_index(dim: str, place: SupportsIndex) -> int:
    """A whole number."""
    try:
        return whole(place)
    except TypeError:
        raise PellucidError(
            f"{dim}={place!r} is no place: give an index, a label, several of these, or a slice."
        ) from None


def find_all(tensor: TracedTensor, cell: Mapping[str, Places]) -> tuple[Array | None, ...]:
    """For each dim of a tensor the indices of its places, each once; None where none is named.

    Raises:
        PellucidError: a dim is unknown, an index out of range, a label not there or there more than
            once, a place is named twice, or a span holds none.
    """
    check_dims(tensor, cell)
    return tuple(
        places_along(tensor, dim, size, cell[dim]) if dim in cell else None
        for dim, size in zip(tensor.dims, tensor.shape, strict=True)
    )


def places_along(tensor: TracedTensor, dim: str, size: int, places: Places) -> Array:
    """The indices along one dim."""
    if isinstance(places, Span):
        if places.step == 0:
            raise PellucidError(f"{dim}={places} has a step of 0: leave it out to take each place.")
        found = np.arange(size)[places.slice]
    else:
        several = places if isinstance(places, tuple) else (places,)
        found = np.array([find_place(tensor, dim, size, {dim: place}) for place in several], int)
    if not len(found):
        raise PellucidError(f"{dim}={places} holds no place: {tensor.name} has {size}.")
    if len(set(found.tolist())) < len(found):
        raise PellucidError(f"A place along {dim} of {tensor.name} is named twice: {places}.")
    return found


def in_brackets(cell: Mapping[str, Places]) -> str:
    """Places as they are typed: `[head=0,key=am|i,query=0:2]`."""
    if not cell:
        return ""
    said = (f"{dim}={say_places(places)}" for dim, places in cell.items())
    return f"[{','.join(said)}]"


def say_places(places: Places) -> str:
    """One dim's places as they are typed."""
    return "|".join(map(say_place, places)) if isinstance(places, tuple) else say_place(places)


def say_place(place: int | str | Span) -> str:
    """An index, a span, or a label, in quotes where it would be read as something else."""
    plain = isinstance(place, str) and place.isidentifier()
    return (
        str(place) if plain or not isinstance(place, str) else json.dumps(place, ensure_ascii=False)
    )
