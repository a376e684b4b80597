"""What an operation that is run by itself saw: evidence for it to explain, without a graph."""

import numpy as np

from pellucid.ops.evidence import Evidence, Seen
from tests.ops.passes import is_index

BITS = 32 * 2.0**-53
"""What 32 roundings in float64 may come to, relative to the size of what is added up."""


def one_text(case):
    """The inputs of a case's first text, `[1, *dims]`."""
    return [x[:1] for x in case.inputs]


def evidence_of(case):
    """Run a case on its first text; returns the evidence, and every array by name without batch."""
    inputs = one_text(case)
    output, extras = case.op.forward(inputs, case.parameters)
    arrays = {f"input {i}": x[0] for i, x in enumerate(inputs)}
    arrays |= {f"parameter {i}": parameter for i, parameter in enumerate(case.parameters)}
    arrays |= {f"output.{name}": e[0] for name, e in zip(case.op.extras, extras, strict=True)}
    arrays["output"] = output[0]

    def look(name):
        values = arrays[name]
        dims = tuple(f"d_{i}" for i in range(np.ndim(values)))
        return Seen(name, name.replace(" ", "_"), values, dims, {})

    names = tuple(arrays)
    return Evidence(
        look,
        "output",
        tuple(name for name in names if name.startswith("input")),
        tuple(name for name in names if name.startswith("parameter")),
        "output",
    ), arrays


def movable(case):
    """The operands that are no whole numbers: their names, and the arrays that `forward` reads."""
    inputs = {f"input {i}": x for i, x in enumerate(case.inputs) if not is_index(x)}
    return inputs | {f"parameter {i}": parameter for i, parameter in enumerate(case.parameters)}
