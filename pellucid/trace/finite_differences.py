"""Gradients against what the loss does when a parameter is moved a little, in float64."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.engine.plan import Keep
from pellucid.ops.loss import NO_TARGET
from pellucid.ops.operation import Array
from pellucid.trace.explanation import SLACK
from pellucid.trace.finding import RUN_TOLERANCE, Finding, finding, part, sample, worst_of

if TYPE_CHECKING:
    from pellucid.trace.trace import Trace

GRADIENT_TOLERANCE = 1e-6
"""How far finite differences in float64 may be from a gradient, relative to max(1, largest)."""
STEP = 1e-5
"""How far a parameter is moved for a finite difference; in float64 the error is of its square."""
RUNS = 4
"""How many runs a finite difference takes: up and down, by a step and by half of it."""
MOST_MOVED, LEAST_MOVED = 64, 4
WORK = 2e10
"""Floating-point operations to spend, between moving so many numbers and so few: some seconds."""
FLOOR = 1e-2
"""A gradient that is small beside the largest of all is held to this part of it: it may be 0."""


def check_differences(trace: Trace, rng: np.random.Generator) -> Iterator[Finding]:
    """Gradients of parameters, against a run in float64, and that against moving them a little."""
    arrays = {n: np.array(p.values, dtype=np.float64) for n, p in trace.parameters.items()}
    engine = NumpyEngine(trace.graph, arrays)
    given = {"ids": np.array([trace.ids]), "targets": np.array([trace.targets])}
    run = engine.forward(given, keep=Keep.BACKWARD, outputs=("loss",))
    back = engine.backward(run, keep_nodes=("logits",))
    exact, start = back.parameters, back.nodes["logits"]
    largest = {name: float(np.abs(gradient).max()) for name, gradient in exact.items()}
    floor = FLOOR * max(largest.values()) or 1.0
    tolerance = gradient_tolerance(trace, start)
    for name in arrays:
        allowed = tolerance * max(largest[name], floor)
        errors = np.abs(trace.gradients[name] - exact[name]) / allowed
        yield finding(trace, name, "gradient as in float64", errors)
    moved = numbers_to_move(trace)
    each = max(1, min(3, moved // len(arrays)))
    for name in [list(arrays)[i] for i in sorted(rng.permutation(len(arrays))[:moved])]:
        allowed = GRADIENT_TOLERANCE * max(1.0, largest[name])
        cells = sample(arrays[name].shape, each, rng)
        parts = [(by_moving(engine, given, name, i, exact[name][i], allowed), i) for i in cells]
        yield worst_of(trace, name, "finite differences", parts)


def gradient_tolerance(trace: Trace, start: Array) -> float:
    """How far rounding may take gradients, relative to the largest.

    They all come from the loss's gradient at the logits: probabilities, less 1 at the target. Where
    the target is nearly certain that difference is small, and has the rounding of a number near 1.
    And a probability is an exponential: it is off by as large a part as its logit is off.

    Args:
        trace: with a target, in the dtype whose rounding it is.
        start: the loss's gradient at the logits `[batch, position, vocab]`.
    """
    logits = trace.values["logits"]
    rounding = SLACK * float(np.finfo(logits.dtype).eps) / 2
    # The loss is a mean, so each target has its share of the gradient.
    far = float(np.abs(start).max()) * sum(target != NO_TARGET for target in trace.targets or ())
    noise = rounding * (float(np.abs(logits).max()) + (1 / far if far else 0.0))
    return max(RUN_TOLERANCE[logits.dtype.name], noise)


def numbers_to_move(trace: Trace) -> int:
    """How many finite differences the work pays for."""
    runs = WORK / trace.graph.flops(len(trace.ids))
    return int(min(max(runs / RUNS, LEAST_MOVED), MOST_MOVED))


def by_moving(
    engine: NumpyEngine,
    given: dict[str, Array],
    name: str,
    index: tuple[int, ...],
    gradient: float,
    allowed: float,
) -> float:
    """A gradient's error, as a part of what is allowed.

    Where two step lengths do not agree there is a kink in between, and nothing to compare: 0.
    """
    slope, half = (slope_by_moving(engine, given, name, index, h) for h in (STEP, STEP / 2))
    return part(abs(half - gradient), allowed) if abs(slope - half) <= allowed / 2 else 0.0


def slope_by_moving(
    engine: NumpyEngine, given: dict[str, Array], name: str, index: tuple[int, ...], step: float
) -> float:
    """The slope of the loss along one number, from both sides; the number is put back."""
    array = engine.parameters[name]
    middle = array[index]
    losses = []
    for moved in (middle + step, middle - step):
        array[index] = moved
        losses.append(float(engine.forward(given, outputs=("loss",))["loss"][0]))
    array[index] = middle
    return (losses[0] - losses[1]) / (2 * step)
