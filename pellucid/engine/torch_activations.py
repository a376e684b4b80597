"""The torch calls of activations, and of gates."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

from torch import Tensor
from torch.nn import functional

Tensors = Sequence[Tensor]


def relu(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """What is positive."""
    return functional.relu(inputs[0])


def gelu(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """GELU, exact."""
    return functional.gelu(inputs[0])


def extras_of_gelu(op: Any, inputs: Tensors, parameters: Tensors) -> tuple[Tensor, ...]:
    """The share of a normal distribution below."""
    return (((inputs[0] * sqrt(0.5)).erf() + 1) * 0.5,)


def gelu_tanh(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """GELU, approximated."""
    return functional.gelu(inputs[0], approximate="tanh")


def extras_of_gelu_tanh(op: Any, inputs: Tensors, parameters: Tensors) -> tuple[Tensor, ...]:
    """The same, approximated."""
    x = inputs[0]
    return (((x * (op.scale + op.scale * op.cubic * x * x)).tanh() + 1) * 0.5,)


def relu_squared(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """The square of what is positive."""
    return functional.relu(inputs[0]).square()


def silu(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """SiLU."""
    return functional.silu(inputs[0])


def gelu_quick(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """GELU by a logistic function."""
    return inputs[0] * extras_of_logistic_gate(op, inputs, parameters)[0]


def extras_of_logistic_gate(op: Any, inputs: Tensors, parameters: Tensors) -> tuple[Tensor, ...]:
    """The logistic function."""
    return ((inputs[0] * op.steepness).sigmoid(),)


def gate(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """What a gate lets through."""
    return inputs[0] * inputs[1]
