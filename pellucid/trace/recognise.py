"""Arrays of another program, brought under our names and into our shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.errors import PellucidError, did_you_mean
from pellucid.ops.operation import Array
from pellucid.trace.budget import sizes_of
from pellucid.trace.trace import Trace
from pellucid.trace.ulp import difference

IDS = "ids"


@dataclass(frozen=True, slots=True)
class Recognised:
    """What another program computed, by our names.

    Attributes:
        tensors: of the graph, in its order.
        parameters: the weights among the arrays.
        unrecognised: names that are none of ours, as they were given.
    """

    tensors: Mapping[str, Array]
    parameters: Mapping[str, Array]
    unrecognised: tuple[str, ...]


def recognise(
    trace: Trace, arrays: Mapping[str, Any], names: Mapping[str, str] | None = None
) -> Recognised:
    """Bring arrays under the names of a trace's tensors and parameters.

    Args:
        trace: whose names to use; aliases are accepted.
        arrays: what NumPy can read as numbers. Dims of size 1 may be missing, or be there too, such
            as a batch of one.
        names: our name for theirs, where the two differ.

    Raises:
        PellucidError: an array holds no numbers, `names` speaks of a name that is not there, two
            arrays under one name differ, or `ids` are not the trace's.
    """
    renamed = check_names(trace, arrays, names or {})
    found: dict[str, tuple[str, Array]] = {}
    unrecognised = []
    for theirs, given in arrays.items():
        ours = trace.graph.aliases.get(name := renamed.get(theirs, theirs), name)
        if ours == IDS:
            check_ids(trace, theirs, read_array(theirs, given))
        elif ours in trace.graph.facts or ours in trace.parameters:
            array = lay_out(read_array(theirs, given), shape_of(trace, ours))
            if ours in found:
                check_same(ours, found[ours], (theirs, array))
            found[ours] = theirs, array
        else:
            unrecognised.append(theirs)
    return Recognised(
        tensors={name: found[name][1] for name in trace.graph.facts if name in found},
        parameters={name: found[name][1] for name in trace.parameters if name in found},
        unrecognised=tuple(unrecognised),
    )


def check_names(
    trace: Trace, arrays: Mapping[str, Any], names: Mapping[str, str]
) -> Mapping[str, str]:
    """`names`, if it maps names that are there to names that we have."""
    known = [*trace.graph.facts, *trace.graph.aliases, *trace.parameters, IDS]
    for theirs, ours in names.items():
        if theirs not in arrays:
            near = did_you_mean(theirs, arrays)
            raise PellucidError(f'names has "{theirs}", but there is no such array.{near}')
        if ours not in known:
            near = did_you_mean(str(ours), known)
            raise PellucidError(f'names calls "{theirs}" {ours!r}, which no tensor is.{near}')
    return names


def read_array(name: str, given: Any) -> Array:
    """An array of real numbers, or an error that names it."""
    try:
        array = np.asarray(given)
    except (TypeError, ValueError, RuntimeError) as error:
        raise PellucidError(f'"{name}" cannot be read as an array: {error}.') from None
    if array.dtype.kind not in "fiu":
        raise PellucidError(f'"{name}" holds {array.dtype}, not real numbers.')
    return array


def shape_of(trace: Trace, name: str) -> tuple[int, ...]:
    """The shape of a tensor or parameter, kept or not."""
    if name in trace.parameters:
        return trace.parameters.specs[name].shape
    sizes = sizes_of(trace.graph, len(trace.ids))
    return tuple(sizes[dim] for dim in trace.graph.facts[name].dims)


def lay_out(array: Array, shape: tuple[int, ...]) -> Array:
    """The array in this shape where they differ in dims of size 1 alone; else as it is."""
    if [size for size in array.shape if size != 1] == [size for size in shape if size != 1]:
        return array.reshape(shape)
    return array


def check_same(ours: str, before: tuple[str, Array], again: tuple[str, Array]) -> None:
    """Two names for one tensor must stand for the same numbers."""
    (first, a), (second, b) = before, again
    if a.shape != b.shape or difference(a, b).any():
        raise PellucidError(
            f'"{first}" and "{second}" both stand for {ours} and hold different numbers: '
            f"they should be one tensor. Leave one out to see what the other agrees with."
        )


def check_ids(trace: Trace, name: str, ids: Array) -> None:
    """Ids that another program read must be those that the trace read."""
    if ids.ravel().tolist() != list(trace.ids):
        raise PellucidError(
            f'"{name}" are {ids.ravel().tolist()}, but the trace read {list(trace.ids)}: '
            f"compare runs over the same tokens."
        )
