"""The learning rate as a function of the step, so that a resumed run goes on where it was."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi
from typing import Literal

Shape = Literal["constant", "linear", "cosine"]


def constant(progress: float) -> float:
    """The same share of the peak throughout."""
    return 1.0


def linear(progress: float) -> float:
    """From the whole peak down to nothing in a straight line."""
    return 1 - progress


def cosine(progress: float) -> float:
    """From the whole peak down to nothing along half a cosine: slow at first and at the end.

    Source: Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts" (2017),
    equation 5, without restarts.
    """
    return (1 + cos(pi * progress)) / 2


SHAPES: dict[Shape, Callable[[float], float]] = {
    "constant": constant,
    "linear": linear,
    "cosine": cosine,
}
"""From progress, 0 up to 1, to the share of the peak rate."""


def learning_rate(
    step: int, *, steps: int, peak: float, shape: Shape, warm_up_steps: int = 0
) -> float:
    """The rate at `step`, which counts from 0 up to `steps` − 1.

    For `warm_up_steps` it rises in equal parts; the step after them has the `peak`, and from there
    it falls as `shape` says. No step has a rate of 0: it would be a step for nothing.
    """
    if step < warm_up_steps:
        return peak * (step + 1) / (warm_up_steps + 1)
    progress = (step - warm_up_steps) / (steps - warm_up_steps)
    return peak * SHAPES[shape](progress)
