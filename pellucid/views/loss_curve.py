"""The losses of a run over its steps, between the baselines, as a curve."""

from __future__ import annotations

import numpy as np

from pellucid.ops.operation import Array
from pellucid.text.baselines import Baselines
from pellucid.training.metrics import Metrics
from pellucid.views.scene import Curve, Level, Series

PARTS = 100
"""Into how many the steps are cut: single batches differ too much for one to see a line."""


def loss_curve(metrics: Metrics, baselines: Baselines) -> Curve:
    """Training and validation loss in nats per token, and what they are to be below."""
    steps, losses = smoothed(*columns(metrics.training))
    series = [Series("training", losses, steps)] if len(steps) else []
    per_point = -(-len(metrics.training) // PARTS)
    if metrics.validation:
        held_out, validation = columns(metrics.validation)
        series.append(Series("validation", validation, held_out))
    return Curve(
        "Loss",
        tuple(series),
        x_label="step",
        y_label="nats per token",
        levels=(
            Level("uniform", baselines.uniform),
            Level("unigram", baselines.unigram),
            Level("bigram", baselines.bigram),
        ),
        note=f"Training: the mean of {per_point} steps to a point." if per_point > 1 else None,
    )


def columns(points: tuple[tuple[float, float], ...]) -> tuple[Array, Array]:
    """Steps and losses, [point] each."""
    both = np.array(points, dtype=np.float64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def smoothed(steps: Array, losses: Array) -> tuple[Array, Array]:
    """The means of at most `PARTS` neighbours each."""
    parts = min(PARTS, len(steps))
    if not parts:
        return steps, losses
    cut = zip(np.array_split(steps, parts), np.array_split(losses, parts), strict=True)
    return columns(tuple((step.mean(), loss.mean()) for step, loss in cut))
