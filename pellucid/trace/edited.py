"""What the edits of a run changed: which of its steps, and which of its weights."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from pellucid.decoder.architecture import build_graph
from pellucid.trace.blocked import is_edit
from pellucid.trace.comparison import TensorDifference
from pellucid.trace.editing import Editing
from pellucid.trace.edits import OnTensor
from pellucid.trace.parameters import EditedParameters
from pellucid.trace.trace import Trace


def edited_steps(trace: Trace) -> set[str]:
    """The steps that edits put in, and those that read a parameter that they changed."""
    weights = edited_weights(trace)
    return {
        node.name
        for node in trace.graph.nodes
        if is_edit(node) or not weights.isdisjoint(node.parameters)
    }


def edited_weights(trace: Trace) -> set[str]:
    """The parameters that edits changed, whether or not the weights are at hand."""
    named = {trace.resolve(edit.name) for edit in trace.edits if isinstance(edit, OnTensor)}
    return named & set(trace.parameters)


def with_edits(
    parameters: Iterable[TensorDifference], edited: Collection[str]
) -> tuple[TensorDifference, ...]:
    """The same weights; those that edits changed are of that kind."""
    return tuple(
        replace(each, kind="edited") if each.kind == "changed" and each.name in edited else each
        for each in parameters
    )


def lent(trace: Trace, other: Trace) -> Trace | None:
    """A trace with its weights, if need be those of another of the same model; None without any.

    What edits changed in weights is changed in those of the other too.
    """
    if trace.parameters.arrays:
        return trace
    theirs = other.parameters
    own = theirs.original if isinstance(theirs, EditedParameters) else theirs
    if not own.arrays:
        return None
    graph = build_graph(trace.config)
    parameters = Editing.of(trace.edits, graph, own, tokens=trace.tokens).parameters
    return replace(trace, parameters=parameters, memory={})
