"""How far a change travelled: how much each step moved for its size, in the order of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from pellucid.trace.comparison import Comparison, TensorDifference
from pellucid.trace.stream_change import StreamChange
from pellucid.views.prediction_shift import shift_blocks
from pellucid.views.scene import Axis, Bars, Block, Matrix, Row

FINE = ("attn.out", "resid_mid", "mlp.out", "resid_post", "final_norm", "logits")
COARSE = ("resid_post", "final_norm", "logits")
"""The steps by which a change is followed, by their names within a block: what it adds to the
stream and what the stream is then, or of a deep model the stream after each block alone."""
MOST_BARS, MOST_STATES = 24, 12
"""From more bars or columns on, a block is one of them."""


def effect_blocks(found: Comparison) -> tuple[Block, ...]:
    """How far each step and the stream at each token moved, then what comes next before and after.

    Nothing where the two runs are the same.
    """
    before, after = names_of_sides(found)
    shift = () if found.shift is None else shift_blocks(found.shift, before=before, after=after)
    return (*movements(found.tensors, found.stream), *shift)


def names_of_sides(found: Comparison) -> tuple[str, str]:
    """What `a` and `b` are called: before and after, where `b` alone was edited."""
    return ("before", "after") if found.edits_in_b and not found.edits_in_a else ("a", "b")


def movements(
    tensors: Sequence[TensorDifference], change: StreamChange | None
) -> tuple[Block, ...]:
    """How far each step moved, and the stream at each token."""
    steps = followed(tensors, FINE)
    if len(steps) > MOST_BARS:
        steps = followed(tensors, COARSE)
    blocks: list[Block] = []
    if steps:
        blocks.append(
            Bars(
                "How far each step moved",
                tuple((each.name, 100 * each.relative) for each in steps),
                unit="%",
                note="The root mean square of the change, as a share of that of the numbers in a.",
            )
        )
    if change is not None and change.states:
        blocks.append(stream_matrix(change))
    return (Row(tuple(blocks)),) if blocks else ()


def stream_matrix(change: StreamChange) -> Matrix:
    """How far the stream moved: a row for each token, a column for each state or block."""
    shown = {name.removeprefix("blocks."): row for row, name in enumerate(change.states)}
    after = ""
    if len(shown) > MOST_STATES:
        # The last state of each block takes the place of those before it.
        shown = {name.partition(".")[0]: row for name, row in shown.items()}
        after = " Columns: the stream as it enters the blocks, and after each of them."
    return Matrix(
        "How far the stream moved",
        np.array(change.values)[list(shown.values())].T,
        Axis("position", change.tokens),
        Axis("state", tuple(shown)),
        note=f"The length of the change, as a share of that of the vector in a.{after}",
    )


def followed(tensors: Sequence[TensorDifference], steps: tuple[str, ...]) -> list[TensorDifference]:
    """The tensors of these steps, and those that were edited; none before the first change."""
    chosen = [each for each in tensors if each.kind == "edited" or local(each.name) in steps]
    first = next((i for i, each in enumerate(chosen) if not each.within_tolerance), len(chosen))
    # What became infinite, as a score does that is masked, has no length.
    return [each for each in chosen[first:] if isfinite(each.relative)]


def local(name: str) -> str:
    """A tensor's name within its block."""
    return name.split(".", 2)[2] if name.startswith("blocks.") else name
