"""The additions and the norms that the residual stream passes in a block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pellucid.errors import PellucidError
from pellucid.ops.operation import Array
from pellucid.trace.trace import Trace
from pellucid.views.catalogue.places import addition, bare, full_name, need_network
from pellucid.views.scene import Bars, Block, Curve, Matrix, Row, Series

MOST_BARS = 16
"""For more tokens the means and the deviations are lines."""


def first_residual(trace: Trace, *, block: int = 0) -> tuple[Block, ...]:
    """What attention gathered, added to the stream: R₁."""
    name = full_name(trace, block, "resid_mid")
    return addition(trace, name, "Stream before", "attention", "stream R₁")


def second_residual(trace: Trace, *, block: int = 0) -> tuple[Block, ...]:
    """What the feed-forward network made, added to the stream: R₂.

    Raises PellucidError where the model has no such network.
    """
    need_network(trace)
    name = full_name(trace, block, "resid_post")
    return addition(trace, name, "Stream before", "feed-forward", "stream R₂")


def first_norm(trace: Trace, *, block: int = 0) -> tuple[Block, ...]:
    """The first norm of a block: mean and deviation of each token's vector, before and after.

    Where attention reads no norm, it is that of what attention adds.
    """
    return norm(trace, norm_of(trace, block, "norm1"), "First norm")


def second_norm(trace: Trace, *, block: int = 0) -> tuple[Block, ...]:
    """The second norm of a block: mean and deviation of each token's vector, before and after.

    Raises PellucidError where both halves of a block read one norm, or there is one half alone.
    """
    need_network(trace)
    if trace.config.shared_norm:
        raise PellucidError("Both halves of this model's blocks read one norm: see the first norm.")
    return norm(trace, norm_of(trace, block, "norm2"), "Second norm")


def norm_of(trace: Trace, block: int, name: str) -> str:
    """The name of a block's first or second norm."""
    after = trace.config.norm_position == "output"
    return full_name(trace, block, f"{name}_post" if after else name)


def final_norm(trace: Trace) -> tuple[Block, ...]:
    """The norm before the head: mean and deviation of each token's vector, before and after.

    Raises PellucidError where the model has none.
    """
    if not trace.config.final_norm:
        raise PellucidError(
            "This model has no final norm: its head reads what the last block hands on."
        )
    return norm(trace, "final_norm", "Final norm")


def norm(trace: Trace, name: str, title: str) -> tuple[Block, ...]:
    """What a norm reads, what it measures, what it levels, and what it gives on."""
    (read,) = trace.graph.node(name).inputs
    is_rms, has_shift = trace.config.norm == "rms", trace.config.norm_bias
    level = "Over the root mean square" if is_rms else "Less the mean, over the deviation"
    gain = "Times 1 + the gain" if trace.config.norm_unit_offset else "Times the gain"
    return (
        bare(Matrix.of(trace[read], title=f"{title}: what it reads")),
        Row(tuple(measured(trace, name))),
        bare(Matrix.of(trace[f"{name}.normalized"], title=level)),
        Matrix.of(trace[name], title=f"{gain}, plus the shift" if has_shift else gain),
    )


def measured(trace: Trace, name: str) -> list[Block]:
    """What a norm measures of each token's vector, as lengths or as lines."""
    draw: Callable[[str, Trace, Array], Block] = lengths if len(trace.tokens) <= MOST_BARS else line
    is_rms = trace.config.norm == "rms"
    with np.errstate(divide="ignore"):  # Of numbers too large to be squared this is 0.
        scales = trace[f"{name}.{'rrms' if is_rms else 'rstd'}"].values.astype(np.float64)
        deviations = 1 / scales
    if is_rms:
        return [draw("Root mean square of each vector", trace, deviations)]
    return [
        draw("Mean of each vector", trace, trace[f"{name}.mean"].values),
        draw("Standard deviation of each vector", trace, deviations),
    ]


def lengths(title: str, trace: Trace, values: Array) -> Bars:
    """A bar for each token."""
    return Bars(title, tuple(zip(trace.tokens, values.tolist(), strict=True)), whole=True)


def line(title: str, trace: Trace, values: Array) -> Curve:
    """A line over all positions."""
    return Curve(title, (Series("", values),), x_label="position", y_label="")
