"""What every block adds to one number, head by head."""

from __future__ import annotations

import numpy as np

from pellucid.trace.paths import Path, Paths
from pellucid.views.paths import said
from pellucid.views.scene import Axis, Bars, Block, Matrix

REST = "biases, shifts"


def contributions(paths: Paths) -> tuple[Block, ...]:
    """What each head and each feed-forward network adds to a number: a row for each block.

    What stands outside of the blocks is drawn beside it.
    """
    inside = [path for path in paths.components if path.block is not None]
    outside = [path for path in paths.components if path.block is None]
    columns = columns_of(inside)
    blocks = max((path.block or 0 for path in inside), default=-1) + 1
    grid = np.zeros((blocks, len(columns)))
    for path in inside:
        grid[path.block, columns.index(column_of(path))] += path.contribution
    return (
        Matrix(
            f"What each part adds to {said(paths)}",
            grid,
            Axis("block"),
            Axis("head or other part", columns),
        ),
        Bars(
            "Outside the blocks",
            tuple((path.component, path.contribution) for path in outside),
            whole=True,
        ),
    )


def columns_of(inside: list[Path]) -> tuple[str, ...]:
    """Heads by their numbers, then the feed-forward network, then biases and shifts together."""
    present = {column_of(path) for path in inside}
    heads = sorted({path.head for path in inside if path.head is not None})
    names = [str(head) for head in heads]
    return (*names, *(name for name in ("feed-forward", REST) if name in present))


def column_of(path: Path) -> str:
    """Where a component of a block stands."""
    if path.head is not None:
        return str(path.head)
    return "feed-forward" if path.component.endswith("feed-forward") else REST
