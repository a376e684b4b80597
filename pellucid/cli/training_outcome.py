"""Outcome: what a training on text came to: which model its folder holds, and how good it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.training.text_run import TextRun

RECENT = 50
"""Steps over which the loss in training is averaged: a single batch jumps about."""


@dataclass(frozen=True)
class Ending:
    """A run at its end: the losses of all its steps, and of all its validations by their steps."""

    run: TextRun
    folder: Path
    training: Mapping[int, float]
    validation: Mapping[int, float]

    @property
    def last(self) -> int:
        return max(self.training)

    @property
    def best(self) -> int:
        """After how many steps the validation loss was lowest; without any, the last."""
        return min(self.validation, key=self.validation.__getitem__, default=self.last)

    def losses(self, step: int) -> str:
        """In words, those of the model after so many steps."""
        recent = [loss for when, loss in self.training.items() if step - RECENT < when <= step]
        known = [f"{sum(recent) / len(recent):.4f} in training"] if recent else []
        if step in self.validation:
            known.append(f"{self.validation[step]:.4f} on what was held out")
        return " and ".join(known)


def outcome_lines(run: TextRun, folder: Path) -> list[str]:
    """How long it took, which model the folder holds, and where the other one is."""
    from pellucid.training.metrics import read_metrics
    from pellucid.views.durations import duration

    if not run.history:
        lines = [f"All {run.recipe.steps:,} steps were taken before: --steps N makes it longer."]
    else:
        lines = [f"{duration(run.seconds)}. Losses are in nats per token."]
    try:
        metrics = read_metrics(folder)
    except PellucidError as error:
        return [*lines, str(error)]
    # The metrics leave out what a run validates because it is stopped between two validations.
    here = {report.step: report.loss for report in run.validations}
    ending = Ending(run, folder, dict(metrics.training), dict(metrics.validation) | here)
    return [*lines, held(ending), *other(ending)] if ending.training else lines


def held(ending: Ending) -> str:
    """Which model the folder holds."""
    run, step = ending.run, ending.run.best_step
    losses = ending.losses(step)
    if run.preflight.by_heart:
        return (
            f"{ending.folder} holds the last model, after step {step:,}: {losses}. "
            "So short a text is learned by heart, and what is held out is not in it."
        )
    bigram = f"(bigram: {run.preflight.baselines.bigram:.4f})"
    if step == 0:
        return (
            f"No step made it better on what was held out: {ending.folder} holds the model as it "
            f"was before the first step, {losses} {bigram}. A longer text or a lower "
            "--learning-rate may help; --keep last keeps the last model all the same."
        )
    which = "the last model" if step == ending.last else "the best model on what was held out"
    return f"{ending.folder} holds {which}, after step {step:,}: {losses} {bigram}."


def other(ending: Ending) -> list[str]:
    """Where the last model is, if the folder holds the best; where the best, if it holds the last.

    Nothing where these are one, nor of a best model that has not learned anything yet.
    """
    from pellucid.training.run_folder import CHECKPOINTS

    holds_last = ending.run.best_step == ending.last
    step = ending.best if holds_last else ending.last
    where = ending.folder / CHECKPOINTS / str(step)
    if step in (ending.run.best_step, 0) or not where.is_dir():
        return []
    name = "best on what was held out" if holds_last else "last"
    return [f"The {name}, after step {step:,}, is {where}: {ending.losses(step)}."]
