"""Which number was the first that is not finite: the step is run again, everything kept."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.engine.plan import Keep
from pellucid.ops.mask import CausalMask
from pellucid.ops.operation import Array
from pellucid.trace.nonfinite import sound, wrong_numbers


def what_went_wrong(engine: NumpyEngine, given: Mapping[str, Array]) -> str:
    """One sentence that names the first tensor with a number that is not finite; "" for none.

    Looks at the parameters, then forwards at each step's output, then backwards at each gradient.
    `given` are the inputs of a run with targets, `[batch, position]`.
    """
    for name, array in engine.parameters.items():
        if not np.isfinite(array).all():
            return f"the parameter {name} has {wrong_numbers(array)}."
    with np.errstate(all="ignore"):
        run = engine.forward(given, keep={Keep.BACKWARD, Keep.EVERYTHING}, outputs=("loss",))
        for name in engine.graph.facts:
            if name in run.values and not as_it_may_be(engine, name, run[name]):
                return f"{name} is the first tensor with {wrong_numbers(run[name])}."
        gradients = engine.backward(run, keep_nodes=engine.graph.facts)
    for kind in (gradients.nodes, gradients.parameters):
        for name, array in kind.items():
            if not np.isfinite(array).all():
                return f"the gradient of {name} is the first with {wrong_numbers(array)}."
    return ""


def as_it_may_be(engine: NumpyEngine, name: str, values: Array) -> bool:
    """Whether every number of a tensor is as it may be: −∞ is what a mask puts there."""
    return sound(values, shut=isinstance(engine.graph.owners[name].op, CausalMask))
