"""What AdamW remembers, as each engine writes it down, and the one turned into the other.

NumPy's AdamW keeps weighted sums, Σ βᵏ g; PyTorch's keeps running means, which are those sums times
1 − β. Each engine's own are written as they are, so that a run goes on with the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pellucid.ops.operation import Array

FIRST, SECOND = "first", "second"
"""Σ β₁ᵏ g and Σ β₂ᵏ g², [parameter]."""
MEAN, MEAN_SQUARE = "exp_avg", "exp_avg_sq"
"""(1 − β₁) Σ β₁ᵏ g and (1 − β₂) Σ β₂ᵏ g², under the names that PyTorch has for them."""
STEPS = "steps"
"""How many steps were taken, [1]."""

Moments = tuple[Array, Array]


def as_sums(state: Mapping[str, Array], *, beta1: float, beta2: float) -> Moments | None:
    """The two sums of what either engine wrote; None if neither did."""
    if state.keys() == {FIRST, SECOND, STEPS}:
        return state[FIRST], state[SECOND]
    if state.keys() == {MEAN, MEAN_SQUARE, STEPS}:
        return over(state[MEAN], 1 - beta1), over(state[MEAN_SQUARE], 1 - beta2)
    return None


def as_means(state: Mapping[str, Array], *, beta1: float, beta2: float) -> Moments | None:
    """The two running means of what either engine wrote; None if neither did."""
    if state.keys() == {MEAN, MEAN_SQUARE, STEPS}:
        return state[MEAN], state[MEAN_SQUARE]
    if state.keys() == {FIRST, SECOND, STEPS}:
        return over(state[FIRST], 1 / (1 - beta1)), over(state[SECOND], 1 / (1 - beta2))
    return None


def over(array: Array, divisor: float) -> Array:
    """The array divided by a number, in its own precision."""
    quotient: Array = np.divide(array, np.asarray(divisor, array.dtype))
    return quotient
