"""How surprised the model was: cross-entropy, in nats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.rows import as_rows, row_maxima, row_sums, starts

NO_TARGET = -1


@dataclass(frozen=True, slots=True)
class CrossEntropy(Operation):
    """`loss[t] = log Σᵥ exp(logits[t, v]) - logits[t, target[t]]`, in nats; 0 where target is −1.

    The first term is kept as `log_sum`. It is −log of the target's probability, without ever
    computing a probability that could round to 0.
    """

    kind: ClassVar[str] = "cross_entropy"
    extras: ClassVar[Dims] = ("log_sum",)
    saves: ClassVar[frozenset[str]] = frozenset({"inputs", "log_sum"})

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0][:-1]

    def extra_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        return (inputs[0][:-1],)

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"log Σ exp({inputs[0]}) - {inputs[0]}[{inputs[1]}]"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        logits, targets = inputs
        rows = as_rows(logits)
        largest = row_maxima(rows)
        log_sum = np.log(row_sums(np.exp(rows - largest)))
        log_sum += largest
        loss = log_sum.ravel() - rows.take(target_cells(rows, targets))
        loss *= targets.ravel() != NO_TARGET
        return loss.reshape(targets.shape), (log_sum.reshape(targets.shape),)

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        logits, targets = inputs
        rows = as_rows(logits)
        weight = grad.ravel() * (targets.ravel() != NO_TARGET)
        grad_rows = rows - extras[0].reshape(-1, 1)
        np.exp(grad_rows, grad_rows)
        grad_rows *= weight[:, None]
        grad_rows.ravel()[target_cells(rows, targets)] -= weight
        return (grad_rows.reshape(logits.shape), None), ()

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 4 * count(inputs[0], sizes)


@dataclass(frozen=True, slots=True)
class MeanLoss(Operation):
    """The mean over all positions of the batch that have a target: sum / number, in nats."""

    kind: ClassVar[str] = "mean_loss"
    saves: ClassVar[frozenset[str]] = frozenset({"inputs"})

    def dims(self, *inputs: Dims) -> Dims:
        return ()

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"mean of {inputs[0]} over the positions with a target"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        loss, targets = inputs
        has_target = targets != NO_TARGET
        total = np.vdot(loss, has_target).reshape(1)
        total /= np.count_nonzero(has_target)
        return total, ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        loss, targets = inputs
        has_target = targets != NO_TARGET
        share = grad[0] / np.count_nonzero(has_target)
        return (np.multiply(has_target, share, dtype=loss.dtype), None), ()

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return count(inputs[0], sizes)


def target_cells(rows: Array, targets: Array) -> Array:
    """Where each target's logit stands when `rows` is read as one run of numbers, `[row]`.

    A position without a target points at id 0.
    """
    cells = np.maximum(targets.ravel(), 0)
    cells += starts(*rows.shape)
    return cells
