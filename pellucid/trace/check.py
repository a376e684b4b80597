"""Checks a trace against itself: cells worked out again, invariants, and finite differences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pellucid.engine.cache import KeyValueCache
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.errors import check_whole
from pellucid.ops.change import Change
from pellucid.ops.operation import Array
from pellucid.ops.term import reach
from pellucid.showing import to_html, to_text
from pellucid.trace.causality import is_causal
from pellucid.trace.explanation import SLACK
from pellucid.trace.finding import RUN_TOLERANCE, Finding, finding, part, sample, worst_of
from pellucid.trace.finite_differences import check_differences

if TYPE_CHECKING:
    from pellucid.trace.trace import Trace

DECODED = 16
"""So many tokens at the end of a text are decoded one at a time; what is before them at once."""


@dataclass(frozen=True, slots=True, repr=False)
class Check:
    """The findings of all checks: values in the order of the graph, then gradients against it."""

    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether every check held."""
        return self.first is None

    @property
    def first(self) -> Finding | None:
        """The first finding, in the order in which a run works things out, that did not hold."""
        return next((finding for finding in self.findings if not finding.holds), None)

    def __repr__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        return to_html(self)


def check(trace: Trace, *, all_cells: bool = False, cells: int = 8, seed: int = 0) -> Check:
    """Check a trace that kept every tensor.

    Every tensor's cells, and where there is a target every gradient's, are worked out again from
    their operands; the stream must add up, rows of shares must sum to 1, the future must be −∞, a
    run over the beginning of the text and one that reads it token by token must give the same
    numbers, and gradients must agree with finite differences.

    Args:
        trace: to be checked.
        all_cells: every cell of every tensor instead of a sample.
        cells: how many cells of each tensor to sample.
        seed: of the sample.

    Raises:
        PellucidError: a tensor was not kept, or the trace was loaded without its model; or `cells`
            or `seed` is no whole number, or too small.
    """
    check_whole("cells", cells, 1)
    check_whole("seed", seed, 0)
    rng = np.random.default_rng(seed)
    number = None if all_cells else cells
    place = places(trace)
    values = [
        *check_cells(trace, number, rng),
        *check_sums(trace),
        *check_shares(trace),
        *check_mask(trace),
        *check_beginning(trace),
        *check_decoding(trace),
    ]
    values.sort(key=lambda finding: place[finding.tensor])
    if trace.targets is None:
        return Check(tuple(values))
    gradients = [
        *check_gradient_cells(trace, number, rng),
        *check_gradient_sums(trace),
        *check_differences(trace, rng),
    ]
    gradients.sort(key=lambda finding: -place[finding.tensor])
    return Check((*values, *gradients))


def places(trace: Trace) -> dict[str, int]:
    """Where each tensor stands in the graph; a parameter where it is read last."""
    steps = {name: i for i, name in enumerate(trace.graph.facts)}
    return steps | {
        name: steps[node.name] for node in trace.graph.nodes for name in node.parameters
    }


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


def check_sums(trace: Trace) -> Iterator[Finding]:
    """The stream is the sum of what it was and what was added, every cell of it."""
    for node in trace.graph.nodes:
        if node.op.kind == "add":
            out, a, b = (trace[name].values for name in (node.name, *node.inputs))
            total = a.astype(np.float64) + b
            # Rounded once.
            allowed = np.maximum(np.abs(total), np.finfo(out.dtype).tiny) * np.finfo(out.dtype).eps
            with np.errstate(invalid="ignore"):
                errors = np.where(out == total, 0.0, np.abs(out - total) / allowed)
            yield finding(trace, node.name, "the stream adds up", errors)


def check_gradient_sums(trace: Trace) -> Iterator[Finding]:
    """What a position's loss asks of its scores adds up to nothing: shares only change hands."""
    for node in trace.graph.nodes:
        if node.op.kind == "cross_entropy":
            scores = trace[node.inputs[0]].values
            rounding = SLACK * float(np.finfo(scores.dtype).eps) / 2 * (1 + reach(scores))
            sums = np.abs(trace.grad[node.inputs[0]].values.astype(np.float64).sum(axis=-1))
            # The target's score gains what all others lose, each at most what arrived.
            allowed = 2 * rounding * np.abs(trace.grad[node.name].values.astype(np.float64))
            with np.errstate(divide="ignore", invalid="ignore"):
                errors = np.where(sums == 0, 0.0, sums / allowed)
            yield finding(trace, node.inputs[0], "gradient rows sum to 0", errors)


def check_shares(trace: Trace) -> Iterator[Finding]:
    """Rows of a softmax sum to 1."""
    for node in trace.graph.nodes:
        if node.op.kind == "softmax":
            values = trace[node.name].values
            sums = values.astype(np.float64).sum(axis=-1)
            allowed = SLACK * float(np.finfo(values.dtype).eps) / 2
            errors = np.abs(sums - 1) / allowed
            yield finding(trace, node.name, "rows sum to 1", errors)


def check_mask(trace: Trace) -> Iterator[Finding]:
    """Masked scores of the future are −∞, and the pattern gives it nothing."""
    owners = trace.graph.owners
    for node in trace.graph.nodes:
        masked = node.inputs[0]
        if node.op.kind == "softmax" and owners[masked].op.kind == "causal_mask":
            for name, shut in ((masked, -np.inf), (node.name, 0.0)):
                values = trace[name].values
                future = np.triu(np.ones(values.shape[-2:], dtype=bool), 1)
                errors = np.where((values != shut) & future, np.inf, 0.0)
                yield finding(trace, name, "the future shut out", errors)


def check_beginning(trace: Trace) -> Iterator[Finding]:
    """A run over the text without its last token gives the same numbers before it.

    Not so where rotary positions depend on how long a text is, and change between the two lengths,
    or where an edit lets the future in.
    """
    positions = len(trace.ids) - 1
    if not positions or not trace.graph.same_at(positions, positions + 1) or looks_ahead(trace):
        return
    names = [name for name in trace.names if not name.startswith("loss")]
    given = {name: array[:, :positions] for name, array in inputs_of(trace).items()}
    run = engine_of(trace).forward(given, keep=names, outputs=())
    for name in names:
        dims, values = trace.graph.facts[name].dims, trace.values[name]
        before = tuple(
            slice(positions) if dim in ("position", "query", "key") else slice(None) for dim in dims
        )
        errors = apart(trace, name, run[name][0], values[before])
        yield finding(trace, name, "same without the last token", errors)


def check_decoding(trace: Trace) -> Iterator[Finding]:
    """The last logits, decoded one token at a time with a cache, are those of the whole text.

    Not so where rotary positions depend on how long a text is, and change on the way, or where an
    edit lets the future in.
    """
    engine = engine_of(trace)
    cache = KeyValueCache(trace.graph, batch=1, dtype=engine.dtype)
    at_once = max(len(trace.ids) - DECODED, 0)
    if not trace.graph.same_at(max(at_once, 1), len(trace.ids)) or looks_ahead(trace):
        return
    ends = [*([at_once] if at_once else []), *range(at_once + 1, len(trace.ids) + 1)]
    given = inputs_of(trace)
    runs = [
        engine.forward({n: array[:, start:end] for n, array in given.items()}, cache=cache)
        for start, end in pairwise([0, *ends])
    ]
    errors = apart(
        trace, "logits", np.concatenate([run["logits"][0] for run in runs]), trace["logits"].values
    )
    yield finding(trace, "logits", "same one token at a time", errors)


def looks_ahead(trace: Trace) -> bool:
    """Whether edits make a position depend on what comes after it.

    At a step of a generation they may also change what is remembered for that step alone.
    """
    for_a_step = any(
        isinstance(node.op, Change) and node.op.reads == ("step",) for node in trace.graph.nodes
    )
    return for_a_step or not is_causal(trace.graph, len(trace.ids))


def inputs_of(trace: Trace) -> dict[str, Array]:
    """What a run over the text of a trace is given, `[1, position]` each."""
    given = {"ids": np.array([trace.ids], dtype=np.int64)}
    if trace.written is not None and trace.graph.reads_step:
        given["step"] = np.array([trace.written])
    return given


def engine_of(trace: Trace) -> NumpyEngine:
    """What runs the graph of a trace again."""
    arrays = {name: parameter.values for name, parameter in trace.parameters.items()}
    return NumpyEngine(trace.graph, arrays)


def apart(trace: Trace, name: str, again: Array, values: Array) -> Array:
    """How far a tensor of another run is from that of the trace, as a part of what is allowed."""
    allowed = RUN_TOLERANCE[str(values.dtype)] * largest_near(trace, name)
    with np.errstate(invalid="ignore"):
        errors: Array = np.where(again == values, 0.0, np.abs(again - values) / allowed)
    return errors


def largest_near(trace: Trace, name: str) -> float:
    """The largest finite number of a tensor and of what it was made from: rounding goes with it."""
    node = trace.graph.owners[name]
    near = [trace.values[n] for n in (name, *node.inputs) if n in trace.values]
    return max(
        (float(np.abs(a[np.isfinite(a)]).max(initial=0.0)) for a in near), default=0.0
    ) or float(np.finfo(np.float32).tiny)
