"""How a step finds what it reads among the values of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from pellucid.decoder.graph import GRAPH_INPUTS, Graph, Node
from pellucid.ops.operation import Array

Pick = Callable[[Mapping[Any, Any]], tuple[Any, ...]]
"""Takes the arrays of some names out of a run's values."""

PLACES = "places"
"""Under this name a run's values hold the position of each text, `[batch]`, that it reads."""


def picks(
    graph: Graph, nodes: Sequence[Node], given: frozenset[str], *, one_place: bool
) -> dict[str, Pick]:
    """For each step what takes its inputs, where one place of each text is read or all are."""
    every = {node.name: picker(node.inputs) for node in nodes}
    if not one_place:
        return every
    at_one = inputs_at_places(graph, nodes, given)
    return every | {name: picker_at_places(axes) for name, axes in at_one.items()}


def inputs_at_places(
    graph: Graph, nodes: Sequence[Node], given: frozenset[str]
) -> dict[str, list[tuple[str, int | None]]]:
    """The steps that can work on one place alone, and of each input the axis of its positions.

    Positions meet in `keys` and `values` alone, and where an edit takes a mean over them. So what
    those are made of is needed everywhere; every other step works on each position by itself, and
    can do so for one. What another such step made has one place already: its axis is None, as that
    of an input without positions is. What is `given` has all of them.
    """
    memories = frozenset(node.name for node in nodes if node.op.joins_positions)
    everywhere = {node.name for node in graph.needed_for(memories, given)}
    dims = {**GRAPH_INPUTS, **{name: graph.facts[name].dims for name in given}}
    for node in nodes:
        if node.name in everywhere:
            dims |= {fact.name: fact.dims for fact in (node.fact, *node.extras)}
    return {
        node.name: [(x, axis_of_positions(dims.get(x, ()))) for x in node.inputs]
        for node in nodes
        if node.name not in everywhere
    }


def picker(names: Sequence[str | None]) -> Pick:
    """A function that takes these names' arrays out of a mapping; None stands for no array."""
    if len(names) > 1:
        return itemgetter(*names)
    if names:
        name = names[0]
        return lambda values: (values[name],)
    return lambda values: ()


def picker_at_places(axes: Sequence[tuple[str, int | None]]) -> Pick:
    """The same, but one place of each text alone of the arrays that have an axis for places."""

    def pick(values: Mapping[Any, Any]) -> tuple[Any, ...]:
        return tuple(
            values[name] if axis is None else at_places(values[name], values[PLACES], axis)
            for name, axis in axes
        )

    return pick


def axis_of_positions(dims: Sequence[str]) -> int | None:
    """Along which axis of an array `[batch, *dims]` its positions lie, if it has them."""
    return next((1 + axis for axis, dim in enumerate(dims) if dim in ("position", "query")), None)


def at_places(array: Array, places: Array, axis: int) -> Array:
    """One place of each text, `[batch]`, along an axis, which stays with length 1."""
    return np.take_along_axis(array, places.reshape(-1, *(1,) * (array.ndim - 1)), axis)
