"""Listeners: who hears of what while a training goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pellucid.training.preflight import Preflight
from pellucid.training.ranks import Ranks
from pellucid.training.reports import Sample, TrainingStep, Validation


def ignore(report: object) -> None:
    """For a report that nobody asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listeners:
    """Who hears of what; `stop` is asked after each step whether it is to be the last."""

    on_preflight: Callable[[Preflight], object] = ignore
    on_step: Callable[[TrainingStep], object] = ignore
    on_validation: Callable[[Validation], object] = ignore
    on_sample: Callable[[Sample], object] | None = None
    """No sample is made where there is none."""
    on_notice: Callable[[str], object] = ignore
    stop: Callable[[], bool] = bool
    """`bool()` is False: never."""

    def of(self, ranks: Ranks) -> Listeners:
        """Those of this rank: only the first one reports. Any may wish to stop."""
        return self if ranks.is_first else Listeners(stop=self.stop)
