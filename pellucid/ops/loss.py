"""How surprised the model was: cross-entropy, in nats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count

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
        largest = np.maximum.reduce(logits, axis=-1, keepdims=True)
        shifted = logits - largest
        log_sum = np.log(np.add.reduce(np.exp(shifted), axis=-1))
        log_sum += largest[..., 0]
        loss = log_sum - logits[target_cells(targets)]
        loss *= targets != NO_TARGET
        return loss, (log_sum,)

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        logits, targets = inputs
        weight = grad * (targets != NO_TARGET)
        grad_logits = logits - extras[0][..., None]
        np.exp(grad_logits, out=grad_logits)
        grad_logits *= weight[..., None]
        grad_logits[target_cells(targets)] -= weight
        return (grad_logits, None), ()

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
        total = np.add.reduce(loss, axis=None, keepdims=True)
        total /= np.count_nonzero(targets != NO_TARGET)
        return total.reshape(1), ()

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


def target_cells(targets: Array) -> tuple[Array, ...]:
    """Index of each position's target in the logits; a position without one points at id 0."""
    batch, position = targets.shape
    rows, columns = np.ogrid[:batch, :position]
    return rows, columns, np.maximum(targets, 0)
