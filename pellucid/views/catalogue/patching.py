"""Which place brings the clean answer back: a patching as a matrix of shares."""

from __future__ import annotations

import numpy as np

from pellucid.analysis.patching import Patching
from pellucid.analysis.places import HEADS
from pellucid.views.scene import Axis, Block, Matrix

RESTORED = {
    "stream": "the stream into each block",
    "attention": "what attention adds",
    "mlp": "what the feed-forward network adds",
    "heads": "each head",
}
"""What is restored, in words; a tensor of another name is called by it."""


SMALL = 0.1
"""If no share is larger, a hundredth is not too little to be told."""


def patching(found: Patching) -> tuple[Block, ...]:
    """What share of the difference each place restores: layers by heads, or tokens by layers."""
    how = "restored by" if found.method == "runs" else "estimated for"
    title = f"Share of the difference {how} {restored(found)}"
    rows, columns, values = layers(found), places(found), found.values
    if found.places.dim not in HEADS:
        # Tokens are long words: they stand at the left, as a text does in a trace.
        rows, columns, values = columns, rows, values.T
    # Layers by heads are many: decimals that say nothing would fill the page.
    decimals = 2 if np.abs(values).max(initial=0.0) > SMALL else 3
    return (Matrix(title, values, rows=rows, columns=columns, decimals=decimals),)


def restored(found: Patching) -> str:
    """What is put back, in words."""
    return RESTORED.get(found.places.kind, found.places.kind)


def layers(found: Patching) -> Axis:
    """A layer for each tensor; what stands in no block by its name."""
    rows = found.places.rows
    if rows[0].layer is None:
        return Axis("", (rows[0].label,))
    return Axis("layer", tuple(str(row.layer) for row in rows))


def places(found: Patching) -> Axis:
    """Heads, or positions with their tokens."""
    return Axis(found.places.dim, found.column_labels)
