"""The torch calls of edits: of cells that are chosen in NumPy, and changed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from pellucid.engine.torch_tensors import as_array, as_tensor

Tensors = Sequence[Tensor]


def change(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Some cells as `factor · x + shift`."""
    x, *given = inputs
    here, shift = chosen(op, x, given)
    if op.factor == 0:
        return torch.where(here, torch.zeros_like(x) if shift is None else shift, x)
    out = x if op.factor == 1 else x * op.factor
    if shift is not None:
        out = torch.where(shift == 0, out, out + shift)
    return torch.where(here & (x != -torch.inf), out, x)


def mean_over(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Some cells as their mean."""
    x, *given = inputs
    here, weights = chosen(op, x, given)
    assert weights is not None
    shares = torch.where(weights > 0, x, 0) * weights
    return torch.where(here, shares.sum(op.axis, keepdim=True), x)


def chosen(op: Any, x: Tensor, given: Tensors) -> tuple[Tensor, Tensor | None]:
    """Which cells are changed, and the numbers that go with them; both spread over the tensor."""
    # The loss of a batch is a single number here, and [1] there.
    shape = tuple(x.shape) or (1,)
    here, numbers = op.where(shape, [as_array(each) for each in given])
    return as_tensor(here).to(x.device), None if numbers is None else as_tensor(numbers).to(x)
