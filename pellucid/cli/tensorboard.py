"""TensorBoard: a training's figures written where TensorBoard reads them, by an existing writer."""

from __future__ import annotations

from pathlib import Path

from pellucid.cli.watching import Watcher
from pellucid.errors import PellucidError
from pellucid.training.preflight import Preflight
from pellucid.training.reports import Sample, TrainingStep, Validation

FOLDER = "tensorboard"


class TensorBoard(Watcher):
    """Writes every step, validation and sample to a folder; a resumed run goes on in the same."""

    def __init__(self, folder: Path) -> None:
        """Find the writer now: who has none should know before a training begins.

        Raises:
            PellucidError: there is no writer.
        """
        try:
            from tensorboardX import SummaryWriter
        except ImportError:
            raise PellucidError(
                "--tensorboard needs a library that writes its files: pip install "
                "'pellucid[tensorboard]', or leave it out; metrics.jsonl has the same figures."
            ) from None
        self.open = SummaryWriter
        self.folder = folder
        self.writer: SummaryWriter | None = None

    def on_preflight(self, figures: Preflight) -> None:
        # What was written after the checkpoint that a run goes on from never happened.
        purge = figures.steps_taken + 1 if figures.steps_taken else None
        self.writer = self.open(str(self.folder), purge_step=purge)

    def on_step(self, report: TrainingStep) -> None:
        self.write("loss/training", report.loss, report.step)
        self.write("learning_rate", report.learning_rate, report.step)
        self.write("gradient_norm", report.gradient_norm, report.step)
        self.write("tokens_per_second", report.tokens_per_second, report.step)

    def on_validation(self, report: Validation) -> None:
        self.write("loss/validation", report.loss, report.step)
        self.write("bits_per_byte", report.bits_per_byte, report.step)

    def on_sample(self, report: Sample) -> None:
        if self.writer is not None:
            self.writer.add_text("sample", f"**{report.prompt}**{report.text}", report.step)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()

    def write(self, name: str, value: float, step: int) -> None:
        """One figure of one step."""
        if self.writer is not None:
            self.writer.add_scalar(name, value, step)
