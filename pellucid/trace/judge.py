"""Whether a difference is noise, a fault, or follows from a fault further up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    graph: Graph, measured: Iterable[TensorDifference], dtype: str
) -> tuple[TensorDifference, ...]:
    """Each difference with its kind and its step, in the order of the graph."""
    by_name = {each.name: each for each in measured}
    judged: list[TensorDifference] = []
    spoilt: set[str] = set()
    for place, node in enumerate(graph.nodes, start=1):
        allowed = RULE_OF_THUMB * place * roundoff(dtype)
        follows = not spoilt.isdisjoint(node.inputs)
        for fact in (*node.extras, node.fact):
            if fact.name in by_name:
                each = by_name[fact.name]
                kind = kind_of(
                    each, small=each.largest <= allowed * each.magnitude, follows=follows
                )
                judged.append(replace(each, kind=kind, step=node.name))
                if kind == "fault":
                    spoilt.add(node.name)
        if follows:
            spoilt.add(node.name)
    return tuple(judged)


def kind_of(each: TensorDifference, *, small: bool, follows: bool) -> Kind:
    """The kind of one difference.

    Args:
        each: as measured.
        small: whether it is small by the rule of thumb.
        follows: whether something that it was computed from is at fault.
    """
    if each.kind != "noise":
        return each.kind
    steps = [step for step in (each.a_step, each.b_step) if step is not None]
    wrong = [step for step in steps if step.share > 1]
    # An edit that was made to both sides alike makes no difference between them.
    if wrong and not (small and len(wrong) == 2):
        return "fault"
    if steps or small:
        return "differs" if steps and follows else "noise"
    return "differs" if follows else "fault"


def judge_parameters(
    a: Parameters, b: Mapping[str, Array], dtype: str
) -> tuple[TensorDifference, ...]:
    """Weights that both sides have, unless they are one and the same arrays.

    Those that are a rounding apart were stored in another precision, which is noise.
    """
    found = []
    for name, array in a.arrays.items():
        if name in b and b[name] is not array:
            each = measure(a.tensor(name, array), b[name], dtype)
            if each.kind == "noise" and not a_rounding_apart(array, b[name], dtype):
                each = replace(each, kind="fault")
            found.append(each)
    return tuple(found)


def a_rounding_apart(a: Array, b: Array, dtype: str) -> bool:
    """Whether no number is further from the other than to the next in `dtype`."""
    return bool(in_last_places(difference(a, b), a, b, dtype).max() <= 1)
