"""Losses: how a training went, from its folder or from what it handed out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from pellucid.errors import PellucidError
from pellucid.training.metrics import read_metrics
from pellucid.training.run import METRICS, TRAINING, TrainingRun
from pellucid.training.text_run import TextRun


@dataclass(frozen=True)
class Losses:
    """(step, nats per token) in order; a training on sentences counts epochs."""

    training: tuple[tuple[int, float], ...]
    validation: tuple[tuple[int, float], ...] = ()
    floor: float | None = None
    """The least mean loss that any model can have, where it is known."""

    def at(self, step: int) -> float | None:
        """The training loss of the latest step up to this one; before the first, of the first."""
        known = [loss for when, loss in self.training if when <= max(step, 1)]
        return known[-1] if known else None


class EpochLine(msgspec.Struct, frozen=True):
    """A line of the `metrics.jsonl` of a training on sentences."""

    number: int
    loss: float


class Facts(msgspec.Struct, frozen=True):
    """What is wanted of the `training.json` of a training on sentences."""

    floor: float | None = None


def losses_of(run: TrainingRun | TextRun) -> Losses:
    """Those of a training that has just ended."""
    if isinstance(run, TrainingRun):
        return Losses(tuple((each.number, each.loss) for each in run.history), floor=run.floor)
    return Losses(
        tuple((each.step, each.loss) for each in run.history),
        tuple((each.step, each.loss) for each in run.validations),
    )


def read_losses(folder: Path, unit: str) -> Losses:
    """Those of a training in its folder.

    Raises:
        PellucidError: its metrics are not there or are damaged.
    """
    if unit == "step":
        found = read_metrics(folder)
        return Losses(found.training, found.validation)
    try:
        lines = msgspec.json.Decoder(EpochLine).decode_lines((folder / METRICS).read_bytes())
        facts = msgspec.json.decode((folder / TRAINING).read_bytes(), type=Facts)
    except OSError as error:
        raise PellucidError(f"{error.filename} cannot be read: {error.strerror}.") from None
    except msgspec.MsgspecError as error:
        raise PellucidError(f"{folder / METRICS} or {TRAINING} is damaged: {error}.") from None
    return Losses(tuple((line.number, line.loss) for line in lines), floor=facts.floor)
