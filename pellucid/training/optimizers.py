"""How gradients move parameters: Adam and AdamW on one flat buffer, in place. Knows no model."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from pellucid.decoder.parameters import ParameterSpec
from pellucid.ops.operation import Array

Mask = npt.NDArray[np.bool_]


class Adam:
    """Moves each parameter by the mean of its past gradients over the root of their mean square.

    Both means weigh a gradient from k steps ago by βᵏ. `first` and `second` [parameter] hold the
    weighted sums, Σ β₁ᵏ g and Σ β₂ᵏ g²; divided by the sums of the weights, (1 − βᵗ) / (1 − β),
    they are the bias-corrected m̂ and v̂ of the paper, and the update is its
    θ ← θ − learning_rate · m̂ / (√v̂ + ε). The paper's running averages carry a factor 1 − β
    that this division cancels again; sums do without it, which saves three passes over the buffer.

    Source: Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015), algorithm 1.
    """

    def __init__(
        self,
        size: int,
        *,
        dtype: Any = "float32",
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
    ) -> None:
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.steps = 0
        """How many times `step` has been called."""
        self.first = np.zeros(size, dtype)
        self.second = np.zeros(size, dtype)
        self._scratch = np.empty(size, dtype)

    def step(self, parameters: Array, gradients: Array, *, learning_rate: float) -> None:
        """Change `parameters` [parameter] in place; `gradients` [parameter] are left as they are.

        Nothing is allocated: every intermediate value goes through one scratch buffer.
        """
        first, second, scratch = self.first, self.second, self._scratch
        self.steps += 1
        np.multiply(first, self.beta1, first)
        np.add(first, gradients, first)
        np.multiply(second, self.beta2, second)
        np.multiply(gradients, gradients, scratch)
        np.add(second, scratch, second)
        # m̂ / (√v̂ + ε) with √weight₂ drawn out of the denominator: two passes fewer.
        weight1 = (1 - self.beta1**self.steps) / (1 - self.beta1)
        root_weight2 = sqrt((1 - self.beta2**self.steps) / (1 - self.beta2))
        np.sqrt(second, scratch)
        np.add(scratch, self.epsilon * root_weight2, scratch)
        np.divide(first, scratch, scratch)
        np.multiply(scratch, learning_rate * root_weight2 / weight1, scratch)
        np.subtract(parameters, scratch, parameters)


class AdamW(Adam):
    """Adam that also shrinks the `decayed` parameters by learning_rate · weight_decay each step.

    Source: Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (2019), algorithm 2.
    """

    def __init__(
        self,
        decayed: Mask,
        *,
        weight_decay: float = 0.01,
        dtype: Any = "float32",
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
    ) -> None:
        """Take `decayed` [parameter], true for those that shrink: see `matrices`."""
        super().__init__(decayed.size, dtype=dtype, beta1=beta1, beta2=beta2, epsilon=epsilon)
        self.decayed = decayed
        self.weight_decay = weight_decay

    def step(self, parameters: Array, gradients: Array, *, learning_rate: float) -> None:
        """Shrink the decayed parameters, then do as Adam does."""
        kept = 1 - learning_rate * self.weight_decay
        np.multiply(parameters, kept, out=parameters, where=self.decayed)
        super().step(parameters, gradients, learning_rate=learning_rate)


def matrices(specs: Mapping[str, ParameterSpec]) -> Mask:
    """Which numbers of a flat buffer belong to a matrix: [parameter], in the order of `specs`.

    Biases, the gains of norms and embeddings do not. Decay is meant to keep a linear map from
    growing; those have no such growth to be kept from, and decaying them costs accuracy.
    """
    return np.concatenate([np.full(spec.size, spec.kind == "matrix") for spec in specs.values()])
