"""Which tensor of a trace is the first with numbers that are not finite."""

from __future__ import annotations

import numpy as np

from pellucid.ops.change import Change
from pellucid.ops.mask import CausalMask
from pellucid.ops.mean_over import MeanOver
from pellucid.ops.operation import Array
from pellucid.trace.trace import Trace


def what_is_not_finite(trace: Trace) -> str:
    """One sentence that names the first tensor with NaN or ∞, of those that were kept; "" for none.

    −∞ is a number where a mask or an edit put it, and where it was handed on. Tensors are only
    looked through where the last one is not sound: what goes wrong on the way shows in the end.
    """
    if not trace.names or sound(trace.values[trace.names[-1]], shut=True):
        return ""
    for name in trace.names:
        values = trace.values[name]
        if not sound(values, shut=may_be_shut(trace, name)):
            return f"{name} is the first tensor with {wrong_numbers(values)}."
    return ""


def may_be_shut(trace: Trace, name: str) -> bool:
    """Whether −∞ may stand in a tensor: put there, or handed on."""
    node = trace.graph.owners[name]
    if isinstance(node.op, CausalMask | Change | MeanOver):
        return True
    return any(
        np.isneginf(trace.values[each]).any() for each in node.inputs if each in trace.values
    )


def sound(values: Array, *, shut: bool) -> bool:
    """Whether every number is finite, or −∞ where that may be."""
    return bool((np.isfinite(values) | (np.isneginf(values) & shut)).all())


def wrong_numbers(array: Array) -> str:
    """ "3 NaN", "2 infinite numbers" or both, of how many."""
    nans = int(np.isnan(array).sum())
    infinities = int(np.isinf(array).sum())
    found = [f"{nans:,} NaN"] if nans else []
    if infinities:
        found.append(f"{infinities:,} infinite numbers" if infinities > 1 else "an infinite number")
    return f"{' and '.join(found)} among {array.size:,}"
