"""Checks a trace against itself: cells worked out again, invariants, and finite differences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.engine.plan import Keep
from pellucid.ops.operation import Array
from pellucid.trace.cell import name_cell
from pellucid.trace.showing import to_text

if TYPE_CHECKING:
    from pellucid.trace.trace import Trace

RUN_TOLERANCE = {"float32": 1e-4, "float64": 1e-10}
"""How far two runs of one model may be apart, relative to a tensor's largest number."""
GRADIENT_TOLERANCE = 1e-6
"""How far finite differences in float64 may be from a gradient, relative to max(1, largest)."""
STEP = 1e-5
"""How far a parameter is moved for a finite difference; in float64 the error is of its square."""
PARAMETERS_TO_MOVE = 64
"""At the most so many numbers are moved for finite differences: each takes four runs."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check of one tensor found.

    `worst` is the largest error as a part of what is allowed: up to 1 the check holds. `where`
    names the cell it was found at.
    """

    tensor: str
    check: str
    cells: int
    worst: float
    where: str

    @property
    def holds(self) -> bool:
        return self.worst <= 1


@dataclass(frozen=True, slots=True, repr=False)
class Check:
    """The findings of all checks, in the order of the graph."""

    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether every check held."""
        return self.first is None

    @property
    def first(self) -> Finding | None:
        """The first finding, in the order of the graph, that did not hold."""
        return next((finding for finding in self.findings if not finding.holds), None)

    def __repr__(self) -> str:
        return to_text(self)


def check(trace: Trace, *, all_cells: bool = False, cells: int = 8, seed: int = 0) -> Check:
    """Check a trace that kept every tensor.

    Every tensor's cells, and where there is a target every gradient's, are worked out again from
    their operands; rows of shares must sum to 1, the future must be −∞, a run over the beginning of
    the text must give the same numbers, and gradients must agree with finite differences.

    Args:
        trace: to be checked.
        all_cells: every cell of every tensor instead of a sample.
        cells: how many cells of each tensor to sample.
        seed: of the sample.
    """
    rng = np.random.default_rng(seed)
    findings = [
        *check_cells(trace, None if all_cells else cells, rng),
        *check_shares(trace),
        *check_mask(trace),
        *check_beginning(trace),
    ]
    if trace.targets is not None:
        findings += check_gradient_cells(trace, None if all_cells else cells, rng)
        findings += check_differences(trace, rng)
    order = {name: i for i, name in enumerate([*trace.graph.facts, *trace.parameters])}
    return Check(tuple(sorted(findings, key=lambda finding: order[finding.tensor])))


def check_cells(trace: Trace, cells: int | None, rng: np.random.Generator) -> Iterator[Finding]:
    """Each tensor's cells, recomputed from what made them."""
    for name in trace.names:
        shape = trace.values[name].shape
        found = [(trace.explainer.value(name, index), index) for index in sample(shape, cells, rng)]
        yield worst_of(
            trace,
            name,
            "worked out again",
            [(part(e.error, e.tolerance), index) for e, index in found],
        )


def check_gradient_cells(
    trace: Trace, cells: int | None, rng: np.random.Generator
) -> Iterator[Finding]:
    """Each gradient's cells, recomputed by the chain rule."""
    for name, gradient in trace.gradients.items():
        found = [
            (trace.explainer.gradient(name, index), index)
            for index in sample(gradient.shape, cells, rng)
        ]
        yield worst_of(
            trace,
            name,
            "gradient worked out again",
            [(part(e.error, e.tolerance), index) for e, index in found],
        )


def check_shares(trace: Trace) -> Iterator[Finding]:
    """Rows of a softmax sum to 1."""
    for node in trace.graph.nodes:
        if node.op.kind == "softmax" and node.name in trace.values:
            values = trace.values[node.name]
            sums = values.astype(np.float64).sum(axis=-1)
            allowed = 32 * float(np.finfo(values.dtype).eps) / 2
            errors = np.abs(sums - 1) / allowed
            yield finding(trace, node.name, "rows sum to 1", errors)


def check_mask(trace: Trace) -> Iterator[Finding]:
    """Masked scores of the future are −∞, and the pattern gives it nothing."""
    owners = trace.graph.owners
    for node in trace.graph.nodes:
        masked = node.inputs[0]
        if node.op.kind == "softmax" and owners[masked].op.kind == "causal_mask":
            for name, shut in ((masked, -np.inf), (node.name, 0.0)):
                if name in trace.values:
                    values = trace.values[name]
                    future = np.triu(np.ones(values.shape[-2:], dtype=bool), 1)
                    errors = np.where((values != shut) & future, np.inf, 0.0)
                    yield finding(trace, name, "the future shut out", errors)


def check_beginning(trace: Trace) -> Iterator[Finding]:
    """A run over the text without its last token gives the same numbers before it."""
    positions = len(trace.ids) - 1
    if not positions:
        return
    names = [name for name in trace.names if not name.startswith("loss")]
    arrays = {name: parameter.values for name, parameter in trace.parameters.items()}
    run = NumpyEngine(trace.graph, arrays).forward(
        {"ids": np.array([trace.ids[:positions]])}, keep=names, outputs=()
    )
    for name in names:
        dims, values = trace.graph.facts[name].dims, trace.values[name]
        before = tuple(
            slice(positions) if dim in ("position", "query", "key") else slice(None) for dim in dims
        )
        again = run[name][0]
        allowed = RUN_TOLERANCE[str(values.dtype)] * largest_near(trace, name)
        with np.errstate(invalid="ignore"):
            errors = np.where(again == values[before], 0.0, np.abs(again - values[before]))
        yield finding(trace, name, "same without the last token", errors / allowed)


def largest_near(trace: Trace, name: str) -> float:
    """The largest finite number of a tensor and of what it was made from: rounding goes with it."""
    node = trace.graph.owners[name]
    near = [trace.values[n] for n in (name, *node.inputs) if n in trace.values]
    return max(
        (float(np.abs(a[np.isfinite(a)]).max(initial=0.0)) for a in near), default=0.0
    ) or float(np.finfo(np.float32).tiny)


def check_differences(trace: Trace, rng: np.random.Generator) -> Iterator[Finding]:
    """Gradients of parameters, against moving them a little and running again, in float64.

    Where two step lengths do not agree there is a kink in between, and nothing to compare.
    """
    arrays = {n: np.array(p.values, dtype=np.float64) for n, p in trace.parameters.items()}
    engine = NumpyEngine(trace.graph, arrays)
    given = {"ids": np.array([trace.ids]), "targets": np.array([trace.targets])}
    run = engine.forward(given, keep=Keep.BACKWARD, outputs=("loss",))
    exact = engine.backward(run).parameters
    each = max(1, min(3, PARAMETERS_TO_MOVE // len(arrays)))
    chosen = sorted(rng.permutation(len(arrays))[:PARAMETERS_TO_MOVE])
    for name in [list(arrays)[i] for i in chosen]:
        largest = max(1.0, float(np.abs(exact[name]).max()))
        allowed = GRADIENT_TOLERANCE * largest
        pairs = []
        for index in sample(arrays[name].shape, each, rng):
            slope, half = (slope_by_moving(engine, given, name, index, h) for h in (STEP, STEP / 2))
            if abs(slope - half) <= allowed / 2:
                pairs.append((part(abs(half - exact[name][index]), allowed), index))
        yield worst_of(trace, name, "finite differences", pairs)
        kept = RUN_TOLERANCE[str(trace.gradients[name].dtype)] * largest
        errors = np.abs(trace.gradients[name] - exact[name]) / kept
        yield finding(trace, name, "gradient as in float64", errors)


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


def sample(
    shape: tuple[int, ...], cells: int | None, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """So many cells of a tensor, each once; all of them for None."""
    size = int(np.prod(shape, dtype=int))
    flat = np.arange(size)
    if cells is not None and cells < size:
        flat = np.unique(rng.integers(0, size, cells))
    return [tuple(int(i) for i in np.unravel_index(place, shape)) for place in flat]


def part(error: float, allowed: float) -> float:
    """An error as a part of what is allowed; none is 0 even where none is allowed."""
    if error == 0:
        return 0.0
    return error / allowed if allowed > 0 else float("inf")


def worst_of(
    trace: Trace, name: str, what: str, pairs: list[tuple[float, tuple[int, ...]]]
) -> Finding:
    """The finding for cells whose errors are known one by one; NaN is the worst there is."""
    worst, index = max(
        pairs, key=lambda pair: np.inf if np.isnan(pair[0]) else pair[0], default=(0.0, None)
    )
    where = "" if index is None else name_cell(trace[name], index)
    return Finding(name, what, len(pairs), float("inf") if np.isnan(worst) else worst, where)


def finding(trace: Trace, name: str, what: str, errors: Array) -> Finding:
    """The finding for an array of errors, each as a part of what is allowed."""
    errors = np.where(np.isnan(errors), np.inf, errors)
    if not errors.size:
        return Finding(name, what, 0, 0.0, "")
    index = tuple(int(i) for i in np.unravel_index(int(errors.argmax()), errors.shape))
    tensor = trace[name]
    where = name_cell(tensor, index) if len(index) == len(tensor.dims) else str(list(index))
    return Finding(name, what, errors.size, float(errors.max()), where)
