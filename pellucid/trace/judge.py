"""Whether a difference is noise, a fault, another model's step, or follows from one further up."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from pellucid.decoder.graph import Graph
from pellucid.ops.operation import Array
from pellucid.trace.comparison import Kind, TensorDifference
from pellucid.trace.measure import measure
from pellucid.trace.parameters import Parameters
from pellucid.trace.ulp import difference, in_last_places, roundoff

RULE_OF_THUMB = 16
"""So many roundings of a tensor's largest number for each step up to it, where there are no weights
to find out what rounding really does."""


def judge(
    graph: Graph,
    measured: Iterable[TensorDifference],
    dtype: str,
    changed: Collection[str] | None = None,
    edited: Collection[str] = (),
) -> tuple[TensorDifference, ...]:
    """Each difference with its kind and its step, in the order of the graph.

    Args:
        graph: of `a`.
        measured: the differences, with the steps' departures where there are weights.
        dtype: the coarser of the two precisions.
        changed: the steps that two different models take in another way; None for one model.
        edited: the tensors that edits changed on either side, or whose weights they did.
    """
    by_name = {each.name: each for each in measured}
    judged: list[TensorDifference] = []
    spoilt: set[str] = set()
    for place, node in enumerate(graph.nodes, start=1):
        allowed = RULE_OF_THUMB * place * roundoff(dtype)
        follows = not spoilt.isdisjoint(node.inputs)
        other = None if changed is None else node.name in changed
        for fact in (*node.extras, node.fact):
            by_edit = fact.name in edited
            if fact.name in by_name:
                each = by_name[fact.name]
                small = each.largest <= allowed * each.magnitude
                kind = kind_of(each, small=small, follows=follows, changed=by_edit or other)
                if kind == "changed" and by_edit:
                    kind = "edited"
                if kind == "noise" and follows and edited:
                    # Without the edit it would be the same to the last bit.
                    kind = "differs"
                judged.append(replace(each, kind=kind, step=node.name))
                if kind in ("fault", "changed", "edited"):
                    spoilt.add(node.name)
            # What an intermediate is after an edit, the rest of its step reads.
            follows = follows or (by_edit and (node.name in spoilt or fact.name not in by_name))
        if follows or (other and node.name not in by_name):
            spoilt.add(node.name)
    return tuple(judged)


def kind_of(
    each: TensorDifference, *, small: bool, follows: bool, changed: bool | None = None
) -> Kind:
    """The kind of one difference.

    Args:
        each: as measured.
        small: whether it is small by the rule of thumb.
        follows: whether something that it was computed from is at fault, or changed.
        changed: whether two different models take this step in another way; None for one model.
    """
    misshapen = each.shape != each.shape_in_b
    if each.equal or (misshapen and changed is None):
        return each.kind
    small = small and not misshapen
    steps = [step for step in (each.a_step, each.b_step) if step is not None]
    wrong = [step for step in steps if step.share > 1]
    # An edit that was made to both sides alike makes no difference between them.
    if wrong and not (small and len(wrong) == 2):
        return "fault"
    if changed and not small:
        return "changed"
    if (steps and not misshapen) or small:
        return "differs" if steps and follows else "noise"
    return "differs" if follows else "fault"


def changed_steps(a: Graph, b: Graph, weights: Collection[str]) -> set[str]:
    """The steps of `a` that `b` lacks or takes in another way, or with others of the `weights`."""
    theirs = {node.name: node for node in b.nodes}
    found = set()
    for node in a.nodes:
        other = theirs.get(node.name)
        same = other is not None and (node.op, node.inputs, node.parameters) == (
            other.op,
            other.inputs,
            other.parameters,
        )
        if not same or not set(node.parameters).isdisjoint(weights):
            found.add(node.name)
    return found


def judge_parameters(
    a: Parameters, b: Mapping[str, Array], dtype: str, *, apart: Kind = "fault"
) -> tuple[TensorDifference, ...]:
    """Weights that both sides have, unless they are one and the same arrays.

    Those that are a rounding apart were stored in another precision, which is noise; those that are
    further apart, or of another shape, are of the kind `apart`.
    """
    found = []
    for name, array in a.arrays.items():
        if name in b and b[name] is not array:
            each = measure(a.tensor(name, array), b[name], dtype)
            misshapen = each.shape != each.shape_in_b
            if misshapen or not (each.equal or a_rounding_apart(array, b[name], dtype)):
                each = replace(each, kind=apart)
            found.append(each)
    return tuple(found)


def a_rounding_apart(a: Array, b: Array, dtype: str) -> bool:
    """Whether no number is further from the other than to the next in `dtype`."""
    return bool(in_last_places(difference(a, b), a, b, dtype).max() <= 1)
