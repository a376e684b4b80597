"""TrainingLines: a training as lines of text, one for each interval, wherever they are sent."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from pellucid.cli.watching import Watcher
from pellucid.training.preflight import Preflight
from pellucid.training.reports import Sample, TrainingStep, Validation
from pellucid.views.durations import duration
from pellucid.views.preflight import preflight_blocks
from pellucid.views.terminal import render
from pellucid.views.terminal.ascii import spelt
from pellucid.views.terminal.sample import sample_lines

WIDEST = 88
"""Columns of a sample, however wide the screen."""
HEADER = (
    f"{'step':>13}{'loss':>9}{'validation':>12}{'bits/byte':>11}{'perplexity':>12}"
    f"{'tokens/s':>10}  time left"
)
LONGEST_SILENCE = 20.0
"""Seconds of training after which a line is due even if the interval is not over."""


class TrainingLines(Watcher):
    """Prints the figures first, then a line for each validation, and what the model writes.

    The loss of a line is the mean over the steps since the line before, in nats per token like the
    validation's; the speed is that of these steps alone.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.since: list[TrainingStep] = []
        self.validates = False

    def say(self, line: str | Text) -> None:
        """Print one line as it is; a character that the output cannot write in ones that it can."""
        text = Text(line) if isinstance(line, str) else line
        text.plain = spelt(text.plain, self.console.encoding)
        self.console.print(text, soft_wrap=True, highlight=False)

    def on_preflight(self, figures: Preflight) -> None:
        self.validates = figures.validation_tokens > 0
        self.console.print(render(preflight_blocks(figures)))
        self.say("")
        self.say(HEADER)

    def on_step(self, report: TrainingStep) -> None:
        self.since.append(report)
        over = not self.validates and report.step == report.steps
        if over or sum(step.seconds for step in self.since) > LONGEST_SILENCE:
            self.say(self.line(report.step))

    def on_validation(self, report: Validation) -> None:
        self.say(self.line(report.step, report))

    def on_sample(self, report: Sample) -> None:
        for line in sample_lines(report, width=min(self.console.width, WIDEST)):
            self.say(line)

    def on_notice(self, notice: str) -> None:
        self.say(notice)

    def line(self, step: int, validation: Validation | None = None) -> str:
        """One line; what is not known leaves its place empty."""
        steps = f"/{self.since[-1].steps:,}" if self.since else ""
        held_out = f"{'':>35}"
        if validation is not None:
            held_out = (
                f"{validation.loss:>12.4f}{validation.bits_per_byte:>11.4f}"
                f"{validation.perplexity:>12.2f}"
            )
        best = "  best" if validation is not None and validation.best and step else ""
        said = f"{f'{step:,}{steps}':>13}{self.loss():>9}{held_out}{self.speed()}{best}"
        self.since = []
        return said.rstrip()

    def loss(self) -> str:
        """The mean over the steps since the line before."""
        if not self.since:
            return ""
        return f"{sum(step.loss for step in self.since) / len(self.since):.4f}"

    def speed(self) -> str:
        """Tokens a second, and how long the rest takes at that speed."""
        if not self.since:
            return ""
        seconds = sum(step.seconds for step in self.since)
        tokens = sum(step.tokens for step in self.since)
        last = self.since[-1]
        left = (last.steps - last.step) * seconds / len(self.since)
        return f"{tokens / seconds:>10,.0f}  {duration(left) if left else '':11}"
