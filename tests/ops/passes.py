"""Running one operation by itself."""

import numpy as np


def output(op, *inputs):
    """What the operation, one without parameters, makes of its inputs."""
    return op.forward(inputs, ())[0]


def backward(op, grad, inputs, parameters=()):
    """Gradients of inputs and parameters, given no more of a run than the operation reads."""
    made, extras = op.forward(inputs, parameters)
    return op.backward(
        grad,
        [x if "inputs" in op.saves or is_index(x) else None for x in inputs],
        parameters,
        made if "output" in op.saves else None,
        [e if name in op.saves else None for name, e in zip(op.extras, extras, strict=True)],
    )


def is_index(array):
    return np.issubdtype(array.dtype, np.integer)
