"""What AdamW remembers, as each engine writes it down, and the one turned into the other.

NumPy's AdamW keeps weighted sums, Σ βᵏ g; PyTorch's keeps running means, which are those sums times
1 − β. Each engine's own are written as they are, so that a run goes on with the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from pellucid.decoder.parameters import ParameterSpec
from pellucid.ops.operation import Array

SUMS = ("first", "second")
"""Σ β₁ᵏ g and Σ β₂ᵏ g²."""
MEANS = ("exp_avg", "exp_avg_sq")
"""(1 − β₁) Σ β₁ᵏ g and (1 − β₂) Σ β₂ᵏ g², under the names that PyTorch has for them."""
STEPS = "steps"

Read = Callable[[str, str, int, int], Array]
"""From one of those four words, a parameter's name, and two rows, to what is kept of the rows."""
Betas = tuple[float, float]


@dataclass(frozen=True)
class Moments:
    """What an optimizer remembered when a checkpoint was made, read parameter by parameter."""

    kinds: tuple[str, str]
    """`SUMS` or `MEANS`: which were written."""
    steps: int
    """How many the optimizer had taken."""
    read: Read

    def sums(self, name: str, betas: Betas, start: int, stop: int) -> tuple[Array, Array]:
        """The two sums for rows of a parameter, whichever engine wrote them."""
        return self.scaled(name, MEANS, [1 - beta for beta in betas], start, stop)

    def means(self, name: str, betas: Betas, start: int, stop: int) -> tuple[Array, Array]:
        """The two running means for rows of a parameter, whichever engine wrote them."""
        return self.scaled(name, SUMS, [1 / (1 - beta) for beta in betas], start, stop)

    def scaled(
        self, name: str, other: tuple[str, str], divisors: list[float], start: int, stop: int
    ) -> tuple[Array, Array]:
        """Both kinds; divided, if they are the `other` ones."""
        first, second = (self.read(kind, name, start, stop) for kind in self.kinds)
        if self.kinds != other:
            return first, second
        dtype = first.dtype.type
        return first / dtype(divisors[0]), second / dtype(divisors[1])


def whole(state: Mapping[str, Array], specs: Mapping[str, ParameterSpec]) -> Moments | None:
    """Moments out of arrays that have all parameters end to end; None if these are another model's.

    `state` has two kinds of [parameter], in the order of `specs`, and `steps` [1].
    """
    kinds = next((kinds for kinds in (SUMS, MEANS) if state.keys() == {*kinds, STEPS}), None)
    size = sum(spec.size for spec in specs.values())
    if kinds is None or any(state[kind].shape != (size,) for kind in kinds):
        return None
    places = dict(zip(specs, np.cumsum([0, *(spec.size for spec in specs.values())]), strict=False))

    def read(kind: str, name: str, start: int, stop: int) -> Array:
        shape, place = specs[name].shape, int(places[name])
        all_rows = state[kind][place : place + specs[name].size].reshape(shape)
        return all_rows[start:stop]

    return Moments(kinds, int(state[STEPS][0]), read)
