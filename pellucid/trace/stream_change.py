"""How far the residual stream moved from one run to another, state by state and token by token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pellucid.decoder.stream import stream
from pellucid.ops.operation import Array
from pellucid.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class StreamChange:
    """How far each token's vector moved, for its length, in each state of the stream.

    Attributes:
        states: the tensors' names, in the order in which the stream passes them.
        tokens: how each place along the text reads.
        values: `[state, token]`, ‖b − a‖ / ‖a‖; ∞ where `a` has nothing but zeros and `b` has not.
    """

    states: tuple[str, ...]
    tokens: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]


def stream_change(
    a: Trace, b: Trace, places: Sequence[tuple[int, int]], tokens: Sequence[str]
) -> StreamChange:
    """How far the stream of `b` is from that of `a`.

    Args:
        a, b: two runs; the states that both kept, in one shape of vector, are held together.
        places: the positions in `a` and in `b` that belong together.
        tokens: how each of these reads.
    """
    ours, theirs = (list(positions) for positions in zip(*places, strict=True))
    states, values = [], []
    for state in stream(a.config):
        name = a.graph.resolve(state)
        if name in a.values and name in b.values:
            before, after = np.asarray(a.values[name])[ours], np.asarray(b.values[name])[theirs]
            if before.shape == after.shape:
                states.append(state)
                values.append(tuple(moved(before, after)))
    return StreamChange(tuple(states), tuple(tokens), tuple(values))


def moved(before: Array, after: Array) -> list[float]:
    """‖after − before‖ / ‖before‖ of each vector `[position, d_model]`."""
    before, after = before.astype(np.float64), after.astype(np.float64)
    apart = np.linalg.norm(after - before, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(apart == 0, 0.0, apart / np.linalg.norm(before, axis=-1))
    return [float(share) for share in shares]
