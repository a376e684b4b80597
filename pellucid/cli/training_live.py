"""TrainingLive: a training on a terminal: the lines, and below them what goes on just now."""

from __future__ import annotations

from math import isnan, nan

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from pellucid.cli.training_lines import WIDEST, TrainingLines
from pellucid.training.preflight import Preflight
from pellucid.training.reports import Sample, TrainingStep, Validation
from pellucid.views.durations import duration
from pellucid.views.terminal.ascii import spelt
from pellucid.views.terminal.sample import sample_lines

WEIGHT = 0.1
"""Of the newest step in the loss and the speed that are shown: single steps jump about."""


class TrainingLive(TrainingLines):
    """Keeps a bar with loss, validation, speed and time left, and the latest sample, at the bottom.

    It is gone when the training is over, but for the last sample.
    """

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self.last: TrainingStep | None = None
        self.loss_now = self.seconds_now = nan
        self.validated = ""
        self.sample: Sample | None = None
        self.bar = ProgressBar(width=min(console.width, WIDEST))
        self.said = ""
        self.live = Live(
            get_renderable=self.now, console=console, transient=True, refresh_per_second=4
        )

    def now(self) -> RenderableType:
        """What stands at the bottom."""
        return Group(Text(), *self.written(), Text(self.said, no_wrap=True), self.bar)

    def written(self) -> list[Text]:
        """The latest sample."""
        if self.sample is None:
            return []
        lines = list(sample_lines(self.sample, width=min(self.console.width, WIDEST)))
        for line in lines:
            line.plain = spelt(line.plain, self.console.encoding)
        return lines

    def on_preflight(self, figures: Preflight) -> None:
        super().on_preflight(figures)
        self.bar.update(figures.steps_taken, figures.steps)
        self.live.start()

    def on_step(self, report: TrainingStep) -> None:
        super().on_step(report)
        self.loss_now = smoothed(self.loss_now, report.loss)
        self.seconds_now = smoothed(self.seconds_now, report.seconds)
        self.last = report
        self.update()

    def on_validation(self, report: Validation) -> None:
        super().on_validation(report)
        self.validated = f"  validation {report.loss:.3f}"
        self.update()

    def on_sample(self, report: Sample) -> None:
        self.sample = report

    def close(self) -> None:
        # An interruption must not leave the terminal without its cursor.
        self.live.stop()
        for line in self.written():
            self.say(line)

    def update(self) -> None:
        """Have the bar say how it stands."""
        if self.last is None:
            return
        speed = self.last.tokens / self.seconds_now
        left = duration((self.last.steps - self.last.step) * self.seconds_now)
        self.bar.update(self.last.step, self.last.steps)
        self.said = (
            f"{self.last.step:,}/{self.last.steps:,}  loss {self.loss_now:.3f}{self.validated}"
            f"  {speed:,.0f} tokens/s  {left} left"
        )


def smoothed(before: float, value: float) -> float:
    """The mean of all values so far, in which each weighs less the older it is."""
    return value if isnan(before) else (1 - WEIGHT) * before + WEIGHT * value
