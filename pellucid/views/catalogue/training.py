"""How a training went, and what came of it: the loss over the floor, the sizes of the numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pellucid.decoder.titles import local_name
from pellucid.ops.operation import Array
from pellucid.trace.tensor import TracedTensor
from pellucid.trace.trace import Trace
from pellucid.training.metrics import Metrics
from pellucid.training.run import TrainingRun
from pellucid.training.text_run import TextRun
from pellucid.views.loss_curve import loss_curve as text_curve
from pellucid.views.scene import Block, Curve, Histogram, Level, Series

PART = 20
"""A smoothed point is the mean over a part of the training that is so many times shorter."""


def loss_curve(run: TrainingRun | TextRun) -> tuple[Block, ...]:
    """The loss over the training, and what it is to be read against.

    On sentences: every epoch, smoothed, and the floor that no model can get below. On running
    text: training and validation loss, and three baselines.
    """
    if isinstance(run, TrainingRun):
        return (epoch_curve(run),)
    metrics = Metrics(
        training=tuple((step.step, step.loss) for step in run.history),
        validation=tuple((each.step, each.loss) for each in run.validations),
    )
    return (text_curve(metrics, run.preflight.baselines),)


def epoch_curve(run: TrainingRun) -> Curve:
    """The mean loss over the pairs in every epoch, and its mean over neighbouring epochs."""
    numbers = np.array([epoch.number for epoch in run.history])
    losses = np.array([epoch.loss for epoch in run.history])
    reach = len(losses) // PART // 2
    series = [Series("every epoch", losses, numbers)]
    if reach:
        name = f"mean of {2 * reach + 1} epochs"
        series.append(Series(name, moving_mean(losses, reach), numbers))
    return Curve(
        "Training loss",
        tuple(series),
        x_label="epoch",
        y_label="loss per pair (nats)",
        levels=(Level("floor", run.floor),),
        note="Floor: what the corpus itself leaves open. No model can get below it.",
    )


def moving_mean(values: Array, reach: int) -> Array:
    """The mean of each value and as many to its left as to its right, `reach` at the most."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    places = np.arange(len(values))
    half = np.minimum(np.minimum(places, places[::-1]), reach)
    means: Array = (sums[places + half + 1] - sums[places - half]) / (2 * half + 1)
    return means


def parameter_histogram(trace: Trace) -> tuple[Block, ...]:
    """How large the learned numbers are, in families: tables, weights, gains, biases."""
    title = f"Sizes of the {total(trace.parameters):,} parameters"
    return (Histogram.of(title, by_family(trace.parameters), x_label="value"),)


def gradient_histogram(trace: Trace) -> tuple[Block, ...]:
    """How large the derivatives of the loss by the parameters are, in the same families.

    Raises PellucidError where the trace has no target.
    """
    gradients = {name: trace.grad[name] for name in trace.parameters if name in trace.grad}
    title = f"Derivatives of the loss, {trace.loss:.4f} nats, by {total(gradients):,} parameters"
    return (Histogram.of(title, by_family(gradients), x_label="derivative (nats per unit)"),)


def total(tensors: Mapping[str, TracedTensor]) -> int:
    """How many numbers there are."""
    return sum(tensor.values.size for tensor in tensors.values())


def by_family(tensors: Mapping[str, TracedTensor]) -> dict[str, Array]:
    """The numbers of all blocks together, by what they do."""
    families: dict[str, list[Array]] = {}
    for name, tensor in tensors.items():
        families.setdefault(family(name), []).append(tensor.values.reshape(-1))
    return {name: np.concatenate(arrays) for name, arrays in families.items()}


def family(name: str) -> str:
    """What a parameter does."""
    local = local_name(name)
    if local.endswith("_embedding"):
        return "embeddings"
    if local.endswith("gamma"):
        return "gains"
    part, _, last = local.rpartition(".")
    if last == "beta" or last.startswith("b"):
        return "biases and shifts"
    return {"attn": "attention", "mlp": "feed-forward", "head": "head"}[part]
