"""Whose numbers a block shows: those of the trace beside it, or of another run or model.

A tour also trains other models, whose tensors have the same names. Numbers tell them apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.trace.trace import Trace


def owned(name: str, values: NDArray[Any], trace: Trace) -> bool:
    """Whether these numbers `[row, column]` are a tensor of the trace, or one leading slice."""
    tensor = numbers(name, trace)
    return tensor is not None and slice_of(tensor, values) is not None


def head_of(name: str, values: NDArray[Any], trace: Trace) -> int | None:
    """The head that these numbers are of; None where the tensor has no dim for it."""
    if name not in trace or trace[name].dims != ("head", *trace[name].dims[1 : values.ndim + 1]):
        return None
    return slice_of(trace[name].values, values)


def place_of(layers: Mapping[str, NDArray[Any]], trace: Trace) -> int | None:
    """The position at which these tensors have these numbers `[unit]`; None where it is none."""
    tensors = [numbers(name, trace) for name in layers]
    for place in range(len(trace.tokens)):
        rows = [None if each is None or each.ndim != 2 else each[place] for each in tensors]
        if all(
            row is not None and same(row, values)
            for row, values in zip(rows, layers.values(), strict=True)
        ):
            return place
    return None


def parameter_of(values: NDArray[Any], trace: Trace) -> str | None:
    """The name of the parameter with these numbers, in this order."""
    return next((name for name, own in trace.parameters.items() if same(own.values, values)), None)


def numbers(name: str, trace: Trace) -> NDArray[Any] | None:
    """A tensor or a parameter of the trace; None where it has none of this name."""
    return trace[name].values if name in trace else None


def slice_of(tensor: NDArray[Any], values: NDArray[Any]) -> int | None:
    """Which slice along the first dim these are; 0 for the whole, None for neither."""
    if same(tensor, values):
        return 0
    return next((i for i, part in enumerate(tensor) if same(part, values)), None)


def same(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether two arrays have the same numbers in the same places."""
    return a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
