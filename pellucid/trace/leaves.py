"""Works numbers out from where a run started: token ids and parameters, nothing in between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pellucid.ops.term import Array, Operands
from pellucid.trace.explanation import Explanation, Key
from pellucid.trace.terms import kind_of

if TYPE_CHECKING:
    from pellucid.trace.explain import Explainer


def work_out(explanation: Explanation) -> float:
    """The value of an explanation, worked upwards from its leaves; each cell once."""
    explainer = explanation.explainer
    known = explainer.worked_out
    # A stack of its own: a deep model leads further down than Python's calls may nest.
    waiting = [explanation]
    while waiting:
        each = waiting[-1]
        groups = each.derivation.operands
        missing = [key for group in groups for key in needed(group, explainer) if key not in known]
        if missing and each.key not in known:
            waiting.extend(explainer.follow(*key) for key in missing)
            continue
        waiting.pop()
        if each.key not in known:
            values = tuple(values_of(group, explainer) for group in groups)
            known[each.key] = each.derivation.recompute(values)
    return known[explanation.key]


def needed(operands: Operands, explainer: Explainer) -> Iterator[Key]:
    """What must be worked out before the values of operands are known."""
    kind = kind_of(operands.role)
    if operands.name and not explainer.is_given(kind, operands.name):
        yield from ((kind, operands.name, operands.cell(i)) for i in range(len(operands)))
    for source in operands.sources:
        yield from needed(source, explainer)


def values_of(operands: Operands, explainer: Explainer) -> Array:
    """The values of operands: as they were given, or as they have been worked out."""
    if operands.rule is not None:
        rule = operands.rule
        return np.atleast_1d(rule(*(values_of(each, explainer) for each in operands.sources)))
    kind = kind_of(operands.role)
    if not operands.name or explainer.is_given(kind, operands.name):
        return operands.values.astype(np.float64)
    known = explainer.worked_out
    return np.array([known[kind, operands.name, operands.cell(i)] for i in range(len(operands))])
