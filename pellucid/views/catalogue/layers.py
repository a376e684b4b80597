"""A whole model at a glance: every head of every block, and how the stream grows on its way."""

from __future__ import annotations

import numpy as np

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.stream import states_of_block, stream
from pellucid.ops.operation import Array
from pellucid.trace.trace import Trace
from pellucid.views.scene import Axis, Block, Curve, Panels, Series

MOST_LINES = 6
"""For more tokens the first, the last and the median of the others are drawn."""
HALVES = "Half a block on, attention has been added; a whole one, the feed-forward network."
WORDS = {
    "pre": HALVES,
    "sandwich": HALVES,
    "output": HALVES,
    "post": (
        "A quarter of a block on, attention has been added; a half, that is normalised; three "
        "quarters, the feed-forward network has been added; a whole one, that is normalised too."
    ),
}


def heads(trace: Trace) -> tuple[Block, ...]:
    """The attention patterns of all heads: a row for each block, a column for each head."""
    config = trace.config
    patterns = [trace[f"blocks.{block}.attn.pattern"] for block in range(config.n_layer)]
    return (
        Panels(
            "Attention of every block and head",
            tuple(pattern.values for pattern in patterns),
            rows=Axis("block"),
            columns=Axis("head"),
            inner_rows=Axis("query", trace.tokens),
            inner_columns=Axis("key", trace.tokens),
            kind="probability",
        ),
    )


def stream_norms(trace: Trace) -> tuple[Block, ...]:
    """How long each token's vector in the residual stream is, from the embeddings to the end."""
    passed, lengths = stream_lengths(trace)
    return (
        Curve(
            "Length of each token's vector in the stream",
            tuple(Series(name, line, passed) for name, line in lines(trace, lengths).items()),
            x_label="blocks passed",
            y_label="length (L2 norm)",
            note=said(trace.config),
        ),
    )


def said(config: ModelConfig) -> str:
    """Where within a block the stream is looked at."""
    if config.mlp:
        return WORDS[config.norm_position]
    if config.norm_position == "post":
        return "Half a block on, attention has been added; a whole one, that is normalised."
    return "After each block, its attention has been added."


def stream_lengths(trace: Trace) -> tuple[Array, Array]:
    """After how many blocks the stream is looked at, `[state]`, and lengths `[state, position]`."""
    names, within = stream(trace.config), states_of_block(trace.config)
    # By hypot: the square of a number may be too large, or too small, to be one.
    lengths = [np.hypot.reduce(trace[name].values.astype(np.float64), axis=-1) for name in names]
    return np.arange(len(names)) / len(within), np.array(lengths)


def lines(trace: Trace, lengths: Array) -> dict[str, Array]:
    """What is drawn, by name: each token, or of many the first, the last and the rest's median."""
    tokens = trace.tokens
    last = len(tokens) - 1
    if len(tokens) <= MOST_LINES:
        return {f"{place} {token}": lengths[:, place] for place, token in enumerate(tokens)}
    return {
        f"0 {tokens[0]}": lengths[:, 0],
        f"median of 1 to {last - 1:,}": np.median(lengths[:, 1:-1], axis=1),
        f"{last:,} {tokens[-1]}": lengths[:, -1],
    }
