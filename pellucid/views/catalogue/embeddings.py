"""How ids become vectors: the token table, the position table, and their sum."""

from __future__ import annotations

from dataclasses import replace

from pellucid.errors import PellucidError
from pellucid.trace.trace import Trace
from pellucid.views.catalogue.places import addition
from pellucid.views.scene import Axis, Block, Matrix

MOST_ROWS = 96
"""Of a longer table only the rows that the prompt uses are shown."""


def token_table(trace: Trace) -> tuple[Block, ...]:
    """The learned row of each token; of a large vocabulary, of the prompt's tokens."""
    table = Matrix.of(trace["token_embedding"], title="Token table")
    return (used_rows(table, trace.ids, "tokens"),)


def position_table(trace: Trace) -> tuple[Block, ...]:
    """The row of each place in the text, learned or made of sines; of many, those in use.

    Raises PellucidError where the model has no positions.
    """
    positions = len(trace.ids)
    if trace.config.position == "learned":
        table = Matrix.of(trace["position_embedding"], title="Position table")
        return (used_rows(table, range(positions), "places"),)
    if trace.config.position == "sinusoidal":
        return (Matrix.of(trace["embed.positions"], title="Position table: sines and cosines"),)
    raise PellucidError(
        "This model adds nothing for a token's place in the text (position="
        f'"{trace.config.position}"), so it has no position table.'
    )


def used_rows(table: Matrix, used: tuple[int, ...] | range, what: str) -> Matrix:
    """The whole table, or of a long one the rows that are used, with a note that says so."""
    size = len(table.values)
    if size <= MOST_ROWS:
        return table
    rows = sorted(set(used))
    words = table.rows.labels
    # Named by their place in the whole table, not in the part of it that is shown.
    names = [str(row) if words is None else f"{row} {words[row]}" for row in rows]
    return replace(
        table,
        values=table.values[rows],
        rows=Axis(f"{table.rows.dim} index", tuple(names)),
        note=f"The {len(rows):,} {what} of the prompt, of {size:,}.",
    )


def input_matrix(trace: Trace) -> tuple[Block, ...]:
    """H₀, what enters the first block: for each token its row plus the row of its place."""
    if "embed.out" in trace.graph.aliases:
        return (Matrix.of(trace["embed.out"], title="Input to the blocks: the tokens' rows"),)
    return addition(trace, "embed.out", "Token rows", "position rows", "input H₀")
