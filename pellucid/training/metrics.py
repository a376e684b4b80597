"""Metrics: what a run's folder tells of its losses, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import msgspec

from pellucid.errors import PellucidError
from pellucid.training.run import METRICS


class Line(msgspec.Struct, frozen=True):
    """A line of `metrics.jsonl`: of a step, or of a validation."""

    step: int
    loss: float | None = None
    validation_loss: float | None = None


@dataclass(frozen=True)
class Metrics:
    """Losses of a whole run, however often it was resumed: (step, nats per token) in order."""

    training: tuple[tuple[int, float], ...]
    validation: tuple[tuple[int, float], ...]


def read_metrics(folder: str | PathLike[str]) -> Metrics:
    """What `metrics.jsonl` in the folder of a run on text says.

    Raises:
        PellucidError: it is not there or is damaged.
    """
    lines = tuple(read_lines(Path(folder) / METRICS))
    return Metrics(
        training=tuple((line.step, line.loss) for line in lines if line.loss is not None),
        validation=tuple(
            (line.step, line.validation_loss) for line in lines if line.validation_loss is not None
        ),
    )


def read_lines(path: Path) -> Iterator[Line]:
    """Each line, checked."""
    decoder = msgspec.json.Decoder(Line)
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield decoder.decode(line)
                except msgspec.MsgspecError as error:
                    raise PellucidError(f"{path}, line {number}: {error}.") from None
    except OSError as error:
        raise PellucidError(f"{path} cannot be read: {error.strerror}.") from None
