"""Naming one number: a cell by the names of its dims, each with an index or a label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import index as whole
from typing import SupportsIndex

from pellucid.errors import PellucidError, did_you_mean
from pellucid.ops.evidence import label_at
from pellucid.showing import SPACE
from pellucid.trace.tensor import Labels, TracedTensor

Place = SupportsIndex | str
"""An index, negative from the end, or a label."""


def find_cell(tensor: TracedTensor, places: Mapping[str, Place]) -> tuple[int, ...]:
    """The index of a cell, in the order of the tensor's dims.

    A dim of size 1 may be left out.

    Raises:
        PellucidError: a dim is unknown or left out, an index is out of range, or a label is not
            there or there more than once; each says what there is instead.
    """
    check_dims(tensor, places)
    return tuple(
        find_place(tensor, dim, size, places)
        for dim, size in zip(tensor.dims, tensor.shape, strict=True)
    )


def find_places(tensor: TracedTensor, places: Mapping[str, Place]) -> dict[str, int]:
    """The index along each of the dims that are named.

    Raises:
        PellucidError: as `find_cell`, but for dims that are left out.
    """
    check_dims(tensor, places)
    sizes = dict(zip(tensor.dims, tensor.shape, strict=True))
    return {dim: find_place(tensor, dim, sizes[dim], places) for dim in places}


def check_dims(tensor: TracedTensor, places: Mapping[str, object]) -> None:
    """Raise PellucidError for a dim that the tensor does not have."""
    for dim in places:
        if dim not in tensor.dims:
            near = did_you_mean(dim, tensor.dims)
            raise PellucidError(f"{tensor.name} has no dim {dim!r}: {describe(tensor)}.{near}")


def find_place(tensor: TracedTensor, dim: str, size: int, places: Mapping[str, Place]) -> int:
    """The index along one dim."""
    if dim not in places:
        if size == 1:
            return 0
        raise PellucidError(f"Which {dim} of {tensor.name}? It has {describe(tensor)}.")
    place = places[dim]
    if isinstance(place, str):
        return find_label(tensor, dim, place)
    try:
        index = whole(place)
    except TypeError:
        raise PellucidError(
            f"{dim}={place!r} is neither a whole number nor a label of {tensor.name}."
        ) from None
    if not -size <= index < size:
        raise PellucidError(
            f"{dim}={index} is out of range: {tensor.name} has {dim} 0 to {size - 1}."
        )
    return index % size


def find_label(tensor: TracedTensor, dim: str, label: str) -> int:
    """The index of a label that stands there once."""
    labels = tensor.labels.get(dim)
    size = tensor.shape[tensor.dims.index(dim)]
    if labels is None:
        raise PellucidError(
            f'{dim} of {tensor.name} has no labels, so "{label}" names no place: '
            f"give an index from 0 to {size - 1}."
        )
    found: list[int] = []
    for spelled in spellings(label, labels):
        found = [i for i, known in enumerate(labels) if known == spelled]
        word, at, number = spelled.rpartition("@")
        named = at and number.isdecimal() and labels[int(number) : int(number) + 1] == (word,)
        if not found and named:
            # As a label that stands at several places is printed.
            return int(number)
        if found:
            break
    if len(found) > 1:
        places = ", ".join(map(str, found))
        raise PellucidError(
            f'"{label}" stands at {len(found)} places along {dim} of {tensor.name}: '
            f"{places}. Give one of these."
        )
    if not found:
        near = did_you_mean(label, labels) or some(labels)
        raise PellucidError(f'There is no "{label}" along {dim} of {tensor.name}.{near}')
    return found[0]


def spellings(label: str, labels: tuple[str, ...]) -> Iterator[str]:
    """How a label may stand among these: as it is, or with its spaces made visible.

    Only where no token has a space of its own are those around a label there for the eye.
    """
    yield label
    if " " in label:
        yield label.replace(" ", SPACE)
    if label.strip() != label and not any(SPACE in known for known in labels):
        yield label.strip()


def name_cell(tensor: TracedTensor, index: tuple[int, ...]) -> str:
    """How a cell reads: places by label where they have one, `am, i`, else by dim, `d_head=3`.

    A label that stands at several places says which of them it is, `am@3`. Where a token and a word
    of the vocabulary are the same, each says which it is: `position=groot, vocab=groot`.
    """
    places = {
        dim: place
        for dim, place, size in zip(tensor.dims, index, tensor.shape, strict=True)
        if size > 1 or len(tensor.dims) == 1
    }
    return ", ".join(name_place(tensor.labels, dim, places) for dim in places)


def name_place(labels: Labels, dim: str, places: Mapping[str, int]) -> str:
    """One of the places of a cell, with its dim where it has no label or one that misleads."""
    if dim not in labels:
        return f"{dim}={places[dim]}"
    here, word = labels[dim], labels[dim][places[dim]]
    # Queries and keys are the same tokens: there the same word is the same place.
    misleads = any(
        other != dim and labels[other][place] == word and labels[other] != here
        for other, place in places.items()
        if other in labels
    )
    name = label_at(here, places[dim])
    return f"{dim}={name}" if misleads else name


def describe(tensor: TracedTensor) -> str:
    """The dims of a tensor and their lengths: "head (1) × query (4) × key (4)"."""
    sizes = zip(tensor.dims, tensor.shape, strict=True)
    return " × ".join(f"{dim} ({size})" for dim, size in sizes) or "no dims: it is one number"


def some(labels: tuple[str, ...]) -> str:
    """The first few labels, for an error to show."""
    shown = ", ".join(labels[:8])
    return f" There are {shown}{', …' if len(labels) > 8 else ''}."
