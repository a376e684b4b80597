"""What an edit becomes: a step of the graph for the tensor that it edits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from pellucid.errors import PellucidError, did_you_mean
from pellucid.ops.cells import Cells
from pellucid.ops.change import Change
from pellucid.ops.mean_over import MeanOver as Mean
from pellucid.ops.operation import Array
from pellucid.trace.cell import describe
from pellucid.trace.edits import (
    Add,
    CopyFrom,
    MaskAttention,
    MeanOver,
    OnTensor,
    Scale,
    SetTo,
    Zero,
)
from pellucid.trace.numbers import SHUT, Value, as_array
from pellucid.trace.places import Places, find_all
from pellucid.trace.tensor import TracedTensor

Step = Change | Mean


def step_of(edit: OnTensor | MaskAttention, tensor: TracedTensor, texts: Array | None) -> Step:
    """The step that does to a tensor what an edit says.

    Args:
        edit: of this tensor.
        tensor: what is known of it; its numbers are not looked at.
        texts: the places in the batch that it is for, or None for all.

    Raises:
        PellucidError: a dim or a place is not there, or a value does not fit.
    """
    cell: Mapping[str, Places] = edit.cell
    steps = None if edit.steps is None else np.array(edit.steps)
    cells = Cells(tensor.dims, find_all(tensor, cell), texts, steps)
    match edit:
        case Zero():
            return Change(cells, 0.0, None, edit.words)
        case Scale():
            return Change(cells, edit.factor, None, edit.words)
        case MeanOver():
            check_mean(edit.dim, tensor)
            return Mean(cells, edit.dim, edit.words)
        case MaskAttention():
            return shifted(tensor, cell, cells, SHUT, 0.0, edit.words)
        case SetTo() | CopyFrom():
            return shifted(tensor, cell, cells, edit.value, 0.0, edit.words)
        case Add():
            return shifted(tensor, cell, cells, edit.value, 1.0, edit.words)
    raise TypeError(f"{edit!r} is no edit")


def shifted(
    tensor: TracedTensor,
    cell: Mapping[str, Places],
    cells: Cells,
    value: Value,
    factor: float,
    words: str,
) -> Change:
    """A step that adds numbers to `factor` times what is there."""
    region = [n if p is None else len(p) for n, p in zip(tensor.shape, cells.places, strict=True)]
    single = [isinstance(cell.get(dim), int | str) for dim in tensor.dims]
    numbers = fitted(tensor, region, single, as_array(value))
    largest = np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0)
    if largest > np.finfo(tensor.values.dtype).max:
        raise PellucidError(f"{largest:g} is too large for the {tensor.values.dtype} of this run.")
    # Numbers for the positions of this text are for these, however long it grows.
    places = tuple(
        np.arange(n) if p is None and n > 1 else p
        for n, p in zip(numbers.shape, cells.places, strict=True)
    )
    return Change(replace(cells, places=places), factor, numbers, words)


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


def check_mean(dim: str, tensor: TracedTensor) -> None:
    """Raise PellucidError for a dim that the tensor does not have."""
    if dim not in tensor.dims:
        near = did_you_mean(dim, tensor.dims)
        raise PellucidError(
            f"{tensor.name} has no dim {dim!r} to take a mean over: {describe(tensor)}.{near}"
        )
