"""Finds the first tensor in which two runs differ by more than rounding."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pellucid.decoder.architecture import build_graph
from pellucid.errors import PellucidError
from pellucid.ops.operation import Array
from pellucid.trace.audit import Audit, Departure
from pellucid.trace.blocked import is_edit
from pellucid.trace.cell import name_cell
from pellucid.trace.comparison import Comparison, TensorDifference
from pellucid.trace.edited import edited_steps, edited_weights, lent, with_edits
from pellucid.trace.judge import changed_steps, judge, judge_parameters
from pellucid.trace.measure import measure
from pellucid.trace.prediction_shift import divergences, prediction_shift
from pellucid.trace.recognise import recognise, shape_of
from pellucid.trace.stream_change import stream_change
from pellucid.trace.trace import Trace
from pellucid.trace.ulp import coarsest


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """What one side computed, the trace that its cells are named by, and one with its weights."""

    values: Mapping[str, Array]
    labelled: Trace
    weights: Trace | None

    def audit(self) -> Audit | None:
        """Its weights' steps, if it has any weights."""
        trace = self.weights
        if trace is None:
            return None
        return Audit(trace.graph, trace.parameters.arrays, trace.ids, trace.targets)


def compare_traces(a: Trace, b: Trace, *, rerun: bool = False) -> Comparison:
    """Hold the tensors that two traces of the same tokens kept against each other.

    Where one of them has its weights (`a`'s are taken first) each step of both is run again in
    float64; else a rule of thumb stands for what rounding may do. Different models are run again
    each with its own weights, and runs with edits each with its own.

    Args:
        a, b: the two runs.
        rerun: whether the steps of runs with other edits are run again too. They are meant to
            differ, and the graph says what follows from that; this shows that nothing else does.

    Raises:
        PellucidError: they read different tokens or targets, or have no tensor in common.
    """
    check_tokens(a, b)
    ours, theirs = a.config.to_dict(), b.config.to_dict()
    configs = {name: (ours[name], theirs[name]) for name in ours if ours[name] != theirs[name]}
    dtype = coarsest_in_common(a, a.values, b.values)
    parameters = judge_parameters(a.parameters, b.parameters.arrays, dtype, apart="changed")
    parameters = with_edits(parameters, edited_weights(a) | edited_weights(b))
    apart = weights_apart(a, b, parameters)
    different = bool(configs or apart)
    alike = a.edits == b.edits
    edited = set() if alike else edited_steps(a) | edited_steps(b)
    rerun = rerun or different or alike
    changed = changed_steps(a.graph, b.graph, apart) if different else None
    weights = weights_of(a, b, different=different) if rerun else (None, None)
    sides = Side(a.values, a, weights[0]), Side(b.values, b, weights[1])
    found = hold(*sides, dtype, changed, edited)
    both = set(a.parameters.arrays) & set(b.parameters.arrays)
    found = replace(
        found,
        parameters=parameters,
        configs=configs,
        different=different,
        n_weights=len(both),
        edits_in_a=tuple(map(str, a.edits)),
        edits_in_b=tuple(map(str, b.edits)),
    )
    return found if all(each.equal for each in found.tensors) else with_movement(found, a, b)


def with_movement(found: Comparison, a: Trace, b: Trace) -> Comparison:
    """The same with what a difference comes to: in the stream, and in what comes next."""
    positions = range(len(a.ids))
    places = [(position, position) for position in positions]
    return replace(
        found,
        shift=prediction_shift(a, b),
        divergences=divergences(a, b, positions, positions) or (),
        stream=stream_change(a, b, places, a.tokens),
    )


def weights_of(a: Trace, b: Trace, *, different: bool) -> tuple[Trace | None, Trace | None]:
    """Either trace with its weights, or where one model made both and no edits, one for both."""
    if different:
        return with_weights(a), with_weights(b)
    if a.edits or b.edits:
        return lent(a, b), lent(b, a)
    return with_weights(a, b), with_weights(a, b)


def weights_apart(a: Trace, b: Trace, parameters: Iterable[TensorDifference]) -> set[str]:
    """The weights that differ: all that may, where only their digests are there to tell."""
    if a.parameters.arrays and b.parameters.arrays:
        return {each.name for each in parameters if each.kind == "changed"}
    one_precision = a.parameters.dtype == b.parameters.dtype
    if one_precision and a.parameters.digest != b.parameters.digest:
        return set(a.parameters)
    return set()


def compare_arrays(
    trace: Trace, arrays: Mapping[str, Any], names: Mapping[str, str] | None = None
) -> Comparison:
    """Hold a trace, `a`, against what another program computed over the same tokens, `b`.

    Args:
        trace: with its weights, if each step is to be run again in float64.
        arrays: by our names or aliases, with or without dims of size 1.
        names: our name for theirs, where the two differ.

    Raises:
        PellucidError: as `recognise`, or no array is of a tensor that the trace kept.
    """
    known = recognise(trace, arrays, names)
    if not known.tensors and known.unrecognised:
        listed = ", ".join(known.unrecognised[:5])
        raise PellucidError(
            f"None of the arrays has a name of this model's tensors: {listed}"
            f"{', …' if len(known.unrecognised) > 5 else ''}. "
            f'Say which is which with names={{"{known.unrecognised[0]}": "logits", …}}.'
        )
    dtype = coarsest_in_common(trace, trace.values, known.tensors)
    weights = with_weights(trace)
    found = hold(Side(trace.values, trace, weights), Side(known.tensors, trace, weights), dtype)
    return replace(
        found,
        parameters=judge_parameters(trace.parameters, known.parameters, found.precision),
        unrecognised=known.unrecognised,
    )


def coarsest_in_common(labelled: Trace, a: Mapping[str, Array], b: Mapping[str, Array]) -> str:
    """The coarsest precision of the tensors that both have.

    Raises:
        PellucidError: there are none.
    """
    common = in_common(labelled, a, b)
    if not common:
        raise PellucidError("The two have no tensor in common: keep the same names on both sides.")
    return coarsest(values[name] for values in (a, b) for name in common)


def in_common(labelled: Trace, a: Mapping[str, Array], b: Mapping[str, Array]) -> list[str]:
    """The tensors that both have, in the order of the graph."""
    return [name for name in labelled.graph.facts if name in a and name in b]


def hold(
    a: Side,
    b: Side,
    dtype: str,
    changed: Collection[str] | None = None,
    edited: Collection[str] = (),
) -> Comparison:
    """Every tensor of `a` against the same of `b`, in the order of the graph.

    Args:
        a, b: the two sides.
        dtype: the coarser of their precisions.
        changed: the steps that two different models take in another way; None for one model.
        edited: the tensors that edits changed on either side, or whose weights they did.
    """
    facts = a.labelled.graph.facts
    measured = [
        measure(a.labelled.tensor(facts[name], a.values[name]), b.values[name], dtype)
        for name in in_common(a.labelled, a.values, b.values)
    ]
    has_weights = a.weights is not None or b.weights is not None
    rerun = has_weights and not all(each.equal for each in measured)
    if rerun:
        measured = with_steps(measured, a, b, dtype, misshapen=changed is not None)
    return Comparison(
        tensors=judge(a.labelled.graph, measured, dtype, changed, edited),
        parameters=(),
        precision=dtype,
        rerun=rerun,
        only_in_a=missing(a, b),
        only_in_b=missing(b, a),
    )


def missing(one: Side, other: Side) -> tuple[str, ...]:
    """What one side has and the other lacks; not what its edits put in, which none would have."""
    graph = one.labelled.graph
    own = build_graph(one.labelled.config).facts if any(map(is_edit, graph.nodes)) else graph.facts
    return tuple(
        name
        for name in one.values
        if name not in other.values and (name in own or name not in graph.facts)
    )


def with_steps(
    measured: Sequence[TensorDifference], a: Side, b: Side, dtype: str, *, misshapen: bool
) -> list[TensorDifference]:
    """The same with each side's distance from float64, step by step.

    Args:
        measured: the differences.
        a, b: the two sides.
        dtype: the coarser of their precisions.
        misshapen: whether tensors of two shapes have steps too: each side may have its own.
    """
    names = [each.name for each in measured if misshapen or each.shape == each.shape_in_b]
    audit = a.audit()
    a_steps = steps_of(a, audit, names, dtype)
    # Weights in float64 are large: those that both sides share are made once.
    b_steps = steps_of(b, audit if b.weights is a.weights else b.audit(), names, dtype)
    return [
        replace(each, a_step=a_steps.get(each.name), b_step=b_steps.get(each.name))
        for each in measured
    ]


def steps_of(
    side: Side, audit: Audit | None, names: Iterable[str], dtype: str
) -> dict[str, Departure]:
    """How far one side is from float64 in each step, with the cell in words."""
    if side.weights is None or audit is None:
        return {}
    found = audit.departures(usable(side.weights, side.values), dtype)
    facts = side.labelled.graph.facts

    def named(name: str) -> Departure:
        tensor = side.labelled.tensor(facts[name], side.values[name])
        return replace(found[name], where=name_cell(tensor, found[name].index))

    return {name: named(name) for name in names if name in found}


def usable(weights: Trace, values: Mapping[str, Array]) -> dict[str, Array]:
    """The values that can take the place of the graph's own: of its names and its shapes."""
    return {
        name: np.asarray(values[name])
        for name in weights.graph.facts
        if name in values
        and values[name].shape == shape_of(weights, name)
        and (weights.targets is not None or not name.startswith("loss"))
    }


def with_weights(*traces: Trace) -> Trace | None:
    """The first trace that has its weights at hand."""
    return next((trace for trace in traces if trace.parameters.arrays), None)


def check_tokens(a: Trace, b: Trace) -> None:
    """Both must have read the same ids, and been asked for the same targets if any."""
    if len(a.ids) != len(b.ids):
        raise PellucidError(
            f"a read {len(a.ids)} tokens and b {len(b.ids)}: compare runs over the same tokens."
        )
    for position, (one, other) in enumerate(zip(a.ids, b.ids, strict=True)):
        if one != other:
            raise PellucidError(
                f'At position {position} a read "{a.tokens[position]}" (id {one}) and b '
                f'"{b.tokens[position]}" (id {other}): compare runs over the same tokens.'
            )
    if None not in (a.targets, b.targets) and a.targets != b.targets:
        raise PellucidError(
            f"a's targets are {list(a.targets or ())} and b's {list(b.targets or ())}: "
            f"compare losses of the same targets."
        )
