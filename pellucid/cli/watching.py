"""Watcher: who hears of what while a training on text goes on, and tells of it somewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pellucid.training.preflight import Preflight
    from pellucid.training.reports import Sample, TrainingStep, Validation


class Watcher:
    """Hears of everything and tells of nothing; those that tell of it are made from this one."""

    def on_preflight(self, figures: Preflight) -> None:
        """The figures, before the first step."""

    def on_step(self, report: TrainingStep) -> None:
        """A step was taken."""

    def on_validation(self, report: Validation) -> None:
        """The model was held against the text that was held out; after the step's own report."""

    def on_sample(self, report: Sample) -> None:
        """The model has written something; after the validation's report."""

    def on_notice(self, notice: str) -> None:
        """Something was done or left out that one should know of."""

    def close(self) -> None:
        """There will be no more reports."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Watchers(Watcher):
    """Several as one."""

    def __init__(self, *watchers: Watcher) -> None:
        self.watchers = watchers

    def on_preflight(self, figures: Preflight) -> None:
        for each in self.watchers:
            each.on_preflight(figures)

    def on_step(self, report: TrainingStep) -> None:
        for each in self.watchers:
            each.on_step(report)

    def on_validation(self, report: Validation) -> None:
        for each in self.watchers:
            each.on_validation(report)

    def on_sample(self, report: Sample) -> None:
        for each in self.watchers:
            each.on_sample(report)

    def on_notice(self, notice: str) -> None:
        for each in self.watchers:
            each.on_notice(notice)

    def close(self) -> None:
        for each in self.watchers:
            each.close()
