"""Finds the first tensor in which two runs differ by more than rounding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pellucid.errors import PellucidError
from pellucid.ops.operation import Array
from pellucid.trace.audit import Audit, Departure
from pellucid.trace.cell import name_cell
from pellucid.trace.comparison import Comparison, TensorDifference
from pellucid.trace.judge import judge, judge_parameters
from pellucid.trace.measure import measure
from pellucid.trace.recognise import recognise, shape_of
from pellucid.trace.trace import Trace
from pellucid.trace.ulp import coarsest


def compare_traces(a: Trace, b: Trace) -> Comparison:
    """Hold the tensors that two traces of the same tokens kept against each other.

    Where one of them has its weights (`a`'s are taken first) each step of both is run again in
    float64; else a rule of thumb stands for what rounding may do.

    Raises:
        PellucidError: they read different tokens or targets, or have no tensor in common.
    """
    check_tokens(a, b)
    found = hold(a, a.values, b.values, with_weights(a, b))
    ours, theirs = a.config.to_dict(), b.config.to_dict()
    return replace(
        found,
        parameters=judge_parameters(a.parameters, b.parameters.arrays, found.precision),
        configs={name: (ours[name], theirs[name]) for name in ours if ours[name] != theirs[name]},
    )


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
    found = hold(trace, trace.values, known.tensors, with_weights(trace))
    return replace(
        found,
        parameters=judge_parameters(trace.parameters, known.parameters, found.precision),
        unrecognised=known.unrecognised,
    )


def hold(
    labelled: Trace, a: Mapping[str, Array], b: Mapping[str, Array], weights: Trace | None
) -> Comparison:
    """Every tensor of `a` against the same of `b`, in the order of the graph."""
    facts = labelled.graph.facts
    common = [name for name in facts if name in a and name in b]
    if not common:
        raise PellucidError("The two have no tensor in common: keep the same names on both sides.")
    dtype = coarsest(values[name] for values in (a, b) for name in common)
    measured = [measure(labelled.tensor(facts[n], a[n]), b[n], dtype) for n in common]
    rerun = weights is not None and not all(each.equal for each in measured)
    if weights is not None and rerun:
        measured = with_steps(labelled, measured, weights, a, b, dtype)
    return Comparison(
        tensors=judge(labelled.graph, measured, dtype),
        parameters=(),
        precision=dtype,
        rerun=rerun,
        only_in_a=tuple(name for name in a if name not in b),
        only_in_b=tuple(name for name in b if name not in a),
    )


def with_steps(
    labelled: Trace,
    measured: Sequence[TensorDifference],
    weights: Trace,
    a: Mapping[str, Array],
    b: Mapping[str, Array],
    dtype: str,
) -> list[TensorDifference]:
    """The same with each side's distance from float64, step by step."""
    audit = Audit(weights.graph, weights.parameters.arrays, weights.ids, weights.targets)
    a_steps, b_steps = (audit.departures(usable(weights, values), dtype) for values in (a, b))

    def step(found: Mapping[str, Departure], name: str) -> Departure | None:
        if name not in found:
            return None
        tensor = labelled.tensor(labelled.graph.facts[name], a[name])
        return replace(found[name], where=name_cell(tensor, found[name].index))

    return [
        replace(each, a_step=step(a_steps, each.name), b_step=step(b_steps, each.name))
        if each.shape == each.shape_in_b
        else each
        for each in measured
    ]


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
