"""What an edit becomes: a step of the graph for the tensor that it edits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec
import numpy as np

from pellucid.errors import PellucidError, did_you_mean
from pellucid.ops.cells import OF_QUERIES, Cells
from pellucid.ops.change import Change
from pellucid.ops.mean_over import MeanOver as Mean
from pellucid.ops.operation import Array
from pellucid.trace.cell import describe
from pellucid.trace.edits import (
    Add,
    CopyFrom,
    Edit,
    MaskAttention,
    MeanOver,
    Scale,
    SetTo,
    Zero,
)
from pellucid.trace.numbers import SHUT, Value, as_array
from pellucid.trace.places import Places, find_all, in_brackets
from pellucid.trace.tensor import TracedTensor

Step = Change | Mean
ALONG_THE_TEXT = (*OF_QUERIES, "key")


def step_of(edit: Edit, tensor: TracedTensor, texts: Array | None) -> Step:
    """The step that does to a tensor what an edit says.

    Args:
        edit: of this tensor.
        tensor: what is known of it; its numbers are not looked at.
        texts: the places in the batch that it is for, or None for all.

    Raises:
        PellucidError: a dim or a place is not there, or a value does not fit.
    """
    cell = edit.cell
    steps = None if edit.steps is None else np.array(edit.steps)
    said = edit.words, in_brackets(cell)
    cells = Cells(tensor.dims, find_all(tensor, cell), texts, steps)
    match edit:
        case Zero():
            return Change(cells, 0.0, None, *said)
        case Scale():
            check_size(edit.factor, tensor)
            return Change(cells, edit.factor, None, *said)
        case MeanOver():
            check_mean(edit.dim, tensor)
            return Mean(cells, edit.dim, *said)
        case MaskAttention():
            return shifted(tensor, cell, cells, SHUT, 0.0, said)
        case SetTo() | CopyFrom():
            return shifted(tensor, cell, cells, edit.value, 0.0, said)
        case Add():
            return shifted(tensor, cell, cells, edit.value, 1.0, said)
    raise TypeError(f"{edit!r} is no edit")


def settled(edit: Edit, cells: Cells) -> Edit:
    """An edit with the places in the text as indices, as they were found in this one.

    So it means the same places in a text that goes on.
    """
    cell = dict(edit.cell)
    for dim, places in zip(cells.dims, cells.places, strict=True):
        if dim in ALONG_THE_TEXT and places is not None:
            several = tuple(places.tolist())
            cell[dim] = several[0] if isinstance(cell.get(dim), int | str) else several
    if isinstance(edit, MaskAttention):
        return msgspec.structs.replace(edit, query=cell.get("query"), key=cell.get("key"))
    return msgspec.structs.replace(edit, cell=cell)


def shifted(
    tensor: TracedTensor,
    cell: Mapping[str, Places],
    cells: Cells,
    value: Value,
    factor: float,
    said: tuple[str, str],
) -> Change:
    """A step that adds numbers to `factor` times what is there."""
    region = [n if p is None else len(p) for n, p in zip(tensor.shape, cells.places, strict=True)]
    single = [isinstance(cell.get(dim), int | str) for dim in tensor.dims]
    numbers = fitted(tensor, region, single, as_array(value))
    check_size(np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0), tensor)
    # Numbers for the positions of this text are for these, however long it grows.
    places = tuple(
        np.arange(n) if p is None and n > 1 else p
        for n, p in zip(numbers.shape, cells.places, strict=True)
    )
    return Change(replace(cells, places=places), factor, numbers, *said)


def fitted(tensor: TracedTensor, region: list[int], single: list[bool], value: Array) -> Array:
    """A value with all dims of a tensor, each of the length of the region of its cells, or 1.

    Raises:
        PellucidError: it does not spread over the region.
    """
    kept = [axis for axis, alone in enumerate(single) if not alone]
    if value.ndim > len(kept):
        kept = list(range(len(region)))
    if value.ndim <= len(kept):
        shape = [1] * len(region)
        for axis, size in zip(reversed(kept), reversed(value.shape), strict=False):
            shape[axis] = size
        if all(size in (1, whole) for size, whole in zip(shape, region, strict=True)):
            return value.reshape(shape)
    raise PellucidError(
        f"A value of {list(value.shape)} does not fit the cells of {tensor.name}, which are "
        f"{list(region)} of {describe(tensor)}."
    )


def check_size(number: float, tensor: TracedTensor) -> None:
    """Raise PellucidError for a number that would be infinite among those of the tensor."""
    if abs(number) > float(np.finfo(tensor.values.dtype).max):
        raise PellucidError(f"{number:g} is too large for the {tensor.values.dtype} of this run.")


def check_mean(dim: str, tensor: TracedTensor) -> None:
    """Raise PellucidError for a dim that the tensor does not have."""
    if dim not in tensor.dims:
        near = did_you_mean(dim, tensor.dims)
        raise PellucidError(
            f"{tensor.name} has no dim {dim!r} to take a mean over: {describe(tensor)}.{near}"
        )
