"""Where in a trace a view looks: a block, a head, a position; the tensors and labels there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import index as whole
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import PellucidError
from pellucid.trace.cell import Place, find_places
from pellucid.trace.tensor import TracedTensor
from pellucid.trace.trace import Trace
from pellucid.views.scene import Axis, Matrix, Row

MOST_QUOTED = 32
"""Of a longer text as many of the last tokens are quoted as have so many characters."""
LONGEST_TOKEN = 18


def of_block(trace: Trace, block: int, name: str) -> TracedTensor:
    """A tensor or a parameter of one block by its name there, such as `attn.q`.

    Raises PellucidError where there is no such block, or the tensor was not kept.
    """
    return trace[full_name(trace, block, name)]


def need_network(trace: Trace) -> None:
    """Raise PellucidError where the model's blocks have no feed-forward network."""
    if not trace.config.mlp:
        raise PellucidError(
            "This model has no feed-forward network (mlp=False): its blocks only attend."
        )


def full_name(trace: Trace, block: int, name: str) -> str:
    """The name of what one block calls `name`."""
    return f"blocks.{place('block', block, trace.config.n_layer)}.{name}"


def place(what: str, given: SupportsIndex, size: int) -> int:
    """An index counted from the start; a negative one counts from the end.

    Raises PellucidError where it is no whole number, or out of range.
    """
    index = whole_number(what, given)
    if not -size <= index < size:
        there = f"there is only {what} 0" if size == 1 else f"they go from 0 to {size - 1}"
        raise PellucidError(f"{what}={index} is out of range: {there}.")
    return index % size


def whole_number(what: str, given: SupportsIndex) -> int:
    """A number as it was given; raises PellucidError where it is no whole one."""
    try:
        return whole(given)
    except TypeError:
        raise PellucidError(f"{what}={given!r} is not a whole number.") from None


def amount(what: str, given: SupportsIndex, noun: str) -> int:
    """How many are to be shown; raises PellucidError where it is no whole number from 1 on."""
    number = whole_number(what, given)
    if number < 1:
        raise PellucidError(f"{what}={number}: show at least 1 {noun}.")
    return number


def position_in(tensor: TracedTensor, position: Place) -> int:
    """The index of a position, given that, or the token that stands there once.

    Raises PellucidError where there is no such place, or more than one.
    """
    return find_places(tensor, {"position": position})["position"]


def of_head(trace: Trace, tensor: TracedTensor, head: int, *, title: str) -> Matrix:
    """What a tensor holds for one query head: of keys and values, those that the head reads.

    Raises PellucidError where there is no such head.
    """
    heads = trace.config.n_head
    head, dim = place("head", head, heads), tensor.dims[0]
    own = head * tensor.shape[0] // heads
    at = {dim: own}
    matrix = Matrix.of(tensor, title=None, kind=None, note=None, **at)
    return replace(matrix, title=of_several(title, head, heads))


def columns_of_head(trace: Trace, tensor: TracedTensor, head: int, *, title: str) -> Matrix:
    """The columns of a weight matrix that make one query head's vectors, `[d_model, d_head]`."""
    heads, width = trace.config.n_head, trace.config.d_head
    head = place("head", head, heads)
    start = head * (tensor.shape[1] // width) // heads * width
    return Matrix(
        of_several(title, head, heads),
        tensor.values[:, start : start + width],
        Axis(tensor.dims[0]),
        Axis(tensor.dims[1], tuple(str(column) for column in range(start, start + width))),
        name=tensor.name,
        kind="weight",
    )


def of_several(title: str, head: int, heads: int) -> str:
    """A title that names the head, where there are several."""
    return f"{title}, head {head}" if heads > 1 else title


def side_by_side(*matrices: Matrix) -> Row:
    """Matrices that are to be compared or added up: their colours mean the same numbers."""
    limit = max(magnitude(matrix.values) for matrix in matrices)
    return Row(tuple(replace(matrix, limit=limit) for matrix in matrices))


def bare(matrix: Matrix) -> Matrix:
    """A matrix without its equation, where another in the view says how it was made."""
    return replace(matrix, equation=None, latex=None)


def magnitude(values: NDArray[Any]) -> float:
    """The largest finite magnitude."""
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def addition(trace: Trace, name: str, *titles: str) -> tuple[Row]:
    """What was added up to make the tensor `name`, and the sum: `a`, `+ b`, `= c`."""
    total = trace[name]
    inputs = trace.graph.node(total.name).inputs
    signs = ("", *("+ " for _ in inputs[1:]), "= ")
    return (
        side_by_side(
            *(
                bare(Matrix.of(trace[part], title=sign + title))
                for part, sign, title in zip((*inputs, name), signs, titles, strict=True)
            )
        ),
    )


def text_of(trace: Trace, position: int) -> str:
    """The prompt up to a position, counted from the start, as a title quotes it."""
    return f"“{quoted(trace.tokens[: position + 1])}”"


def quoted(tokens: Sequence[str]) -> str:
    """The last few tokens of a text, each cut to a length that leaves room for others."""
    shown: list[str] = []
    room = MOST_QUOTED
    for token in map(shortened, reversed(tokens)):
        room -= len(token) + 1
        if shown and room < -1:
            return " ".join(("…", *reversed(shown)))
        shown.append(token)
    return " ".join(reversed(shown))


def shortened(token: str) -> str:
    """A token, or the beginning and the end of a long one."""
    if len(token) <= LONGEST_TOKEN:
        return token
    return f"{token[: LONGEST_TOKEN // 2]}…{token[-LONGEST_TOKEN // 3 :]}"
