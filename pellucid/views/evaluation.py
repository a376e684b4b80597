"""How well a model predicts a text, as blocks: three measures of it, and where it does worst."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan

from pellucid.training.evaluate import Evaluation, Place
from pellucid.views.scene import Cell, Table

Written = Callable[[Sequence[int]], str]
"""Ids as they are read, everything in them visible."""


def evaluation_blocks(found: Evaluation, written: Written) -> tuple[Table, ...]:
    """The measures, and the tokens that the model least expected with what stands before them."""
    measures = Table(
        f"{found.tokens:,} tokens predicted",
        ("measure", "value", "what it is"),
        measure_rows(found),
        align=("left", "decimal", "left"),
    )
    if not found.worst:
        return (measures,)
    return measures, worst_table(found.worst, written)


def measure_rows(found: Evaluation) -> tuple[tuple[Cell, ...], ...]:
    """The same loss in three units; without a tokenizer nobody knows of bytes."""
    nats = ("nats per token", f"{found.loss:.4f}", "the mean of −ln of each token's probability")
    choice = (
        "perplexity",
        f"{found.perplexity:.4f}",
        "among so many equally likely tokens it as good as chooses",
    )
    if isnan(found.bits_per_byte):
        return nats, choice
    per_byte = (
        "bits per byte",
        f"{found.bits_per_byte:.4f}",
        "what a coder needs that asks the model; for any tokenizer",
    )
    return nats, per_byte, choice


def worst_table(worst: Sequence[Place], written: Written) -> Table:
    """Where the model was most wrong."""
    return Table(
        "Least expected",
        ("token", "probability", "nats", "position", "after"),
        tuple(
            (
                written([place.id]),
                f"{place.probability:.1e}",
                f"{place.loss:.2f}",
                place.position,
                written(place.before),
            )
            for place in worst
        ),
        align=("left", "right", "right", "right", "left"),
    )
