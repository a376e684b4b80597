"""A decoder beside an RNN and an LSTM: how long they read, how far back they learn, how well."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pellucid.interop.older_way import OlderWay
from pellucid.views.scene import Block, Curve, Row, Series, Table

MICRO = 1e6


def older_way(ways: OlderWay) -> tuple[Block, ...]:
    """The time that a token takes, the gradient that the first one gets, and the loss reached."""
    return (Row((time_per_token(ways), gradient_at_first(ways))), learned(ways))


def time_per_token(found: OlderWay) -> Curve:
    """What a token of a text takes, the longer the text is; measured where this runs."""
    per_token = {
        name: tuple(
            MICRO * each / length for each, length in zip(seconds, found.lengths, strict=True)
        )
        for name, seconds in found.seconds.items()
    }
    return Curve(
        "Time per token of a text",
        lines(found, per_token),
        x_label="tokens in the text",
        y_label="microseconds per token",
        note="Forwards and back, medians on one thread, measured just now on this machine.",
        logarithmic=True,
    )


def gradient_at_first(found: OlderWay) -> Curve:
    """How much of the gradient of the last token's loss arrives at the first token."""
    return Curve(
        "Gradient that reaches the first token",
        lines(found, found.slopes),
        x_label="tokens in the text",
        y_label="length of the gradient of the last token's loss",
        note="With fresh weights. A line ends where float32 has no number small enough.",
        logarithmic=True,
    )


def lines(found: OlderWay, numbers: Mapping[str, tuple[float, ...]]) -> tuple[Series, ...]:
    """A line for each way, through all numbers above 0."""
    return tuple(
        Series(name, np.array(values)[above], np.array(found.lengths)[above])
        for name, values in numbers.items()
        if (above := np.array(values) > 0).any()
    )


def learned(found: OlderWay) -> Table:
    """How many parameters each has, and how near to the floor it came."""
    return Table(
        f"Trained alike on the same pairs; the floor is {found.floor:.4f} nats",
        ("", "parameters", "loss at first", "loss reached", "above floor"),
        tuple(
            (
                way.name,
                way.n_parameters,
                f"{way.losses[0]:.4f}",
                f"{way.loss:.4f}",
                f"{way.loss - found.floor:.4f}",
            )
            for way in found.ways
        ),
        align=("left", "right", "right", "right", "right"),
    )
