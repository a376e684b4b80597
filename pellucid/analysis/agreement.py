"""Agreement: one patching beside another of the same places, such as an estimate of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from pellucid.analysis.found import Found
from pellucid.analysis.patching import Patching, Restored
from pellucid.errors import PellucidError
from pellucid.trace.explanation import spell


@dataclass(frozen=True, slots=True, repr=False)
class Agreement(Found):
    """Two patchings, place beside place.

    `measured` is what the other is held against; both have the same prompts, answers and places.
    """

    measured: Patching
    estimated: Patching

    @property
    def correlation(self) -> float:
        """Pearson's, over all places; NaN where one of the two has the same value everywhere."""
        a, b = (each.values.ravel() for each in (self.measured, self.estimated))
        if not (np.isfinite([a, b]).all() and np.ptp(a) > 0 and np.ptp(b) > 0):
            return float("nan")
        return float(np.corrcoef(a, b)[0, 1])

    @property
    def largest_error(self) -> float:
        """The most that the two are apart at a place, as a share of the difference."""
        return float(np.abs(self.estimated.values - self.measured.values).max())

    def top(self, n: int | None = 10) -> tuple[tuple[Restored, float], ...]:
        """The places that move the difference most, each with the estimate of its value."""
        known = {(place.name, place.column): place.value for place in self.estimated.top(None)}
        return tuple((place, known[place.name, place.column]) for place in self.measured.top(n))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; a correlation that there is none of is null."""
        return {
            "correlation": self.correlation if isfinite(self.correlation) else None,
            "largest_error": spell(self.largest_error),
            "measured": self.measured.to_dict(),
            "estimated": self.estimated.to_dict(),
        }


def agree(measured: Patching, estimated: Patching) -> Agreement:
    """Two patchings side by side.

    Raises:
        PellucidError: they are of other prompts, answers or places.
    """
    for what, a, b in (
        ("prompts or answers", measured.contrast, estimated.contrast),
        ("places", measured.places, estimated.places),
    ):
        if a != b:
            raise PellucidError(
                f"The two patchings are of different {what}: make both with the same arguments."
            )
    return Agreement(measured, estimated)
