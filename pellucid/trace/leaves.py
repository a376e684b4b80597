"""Works numbers out from where a run started: token ids and parameters, nothing in between."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pellucid.ops.term import Array, Operands
from pellucid.trace.explanation import Explanation, Key
from pellucid.trace.terms import kind_of


def work_out(explanation: Explanation) -> float:
    """The value of an explanation, worked upwards from its leaves; each cell once."""
    known = explanation.explainer.worked_out
    # A stack of its own: a deep model leads further down than Python's calls may nest.
    waiting = [explanation]
    while waiting:
        each = waiting[-1]
        missing = [] if each.key in known else [e for e in each.operands() if e.key not in known]
        if missing:
            waiting.extend(missing)
            continue
        waiting.pop()
        if each.key not in known:
            groups = each.derivation.operands
            known[each.key] = each.derivation.recompute(tuple(values(g, known) for g in groups))
    return known[explanation.key]


def values(operands: Operands, known: Mapping[Key, float]) -> Array:
    """The values of operands, from those that are known of their cells."""
    if operands.rule is not None:
        rule = operands.rule
        return np.atleast_1d(rule(*(values(source, known) for source in operands.sources)))
    if not operands.name:
        return operands.values
    kind = kind_of(operands.role)
    return np.array([known[kind, operands.name, operands.cell(i)] for i in range(len(operands))])
