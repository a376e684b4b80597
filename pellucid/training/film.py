"""`pellucid.film`: a training watched again, from the parameters that it kept on its way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError
from pellucid.model.folder import CONFIG, read_config
from pellucid.model.model import Model
from pellucid.ops.operation import Array
from pellucid.showing import to_html, to_text
from pellucid.text.tokenizer import Tokenizer
from pellucid.text.tokenizer_folder import load_tokenizer
from pellucid.training.film_file import FILM, FilmFile
from pellucid.training.film_trace import FilmTrace, trace_film
from pellucid.training.frames import Frames
from pellucid.training.losses import Losses, losses_of, read_losses
from pellucid.training.run import TrainingRun
from pellucid.training.text_run import TextRun


@dataclass(frozen=True, eq=False, repr=False)
class Film:
    """A model at several steps of its training, and the losses of all of them.

    Made by `pellucid.film`. `frames` has the parameters as they were kept, [step, …].
    """

    config: ModelConfig
    tokenizer: Tokenizer | None
    frames: Frames
    losses: Losses

    @property
    def steps(self) -> tuple[int, ...]:
        """After which steps the parameters were kept, in order; 0 is before the first."""
        return self.frames.steps

    @property
    def unit(self) -> str:
        """What they count: "step", or "epoch" for a training on sentences."""
        return self.frames.unit

    @property
    def dtype(self) -> str:
        """The type in which the parameters were kept: float16 is half precision."""
        return next(iter(self.frames.arrays.values())).dtype.name

    def model(self, step: int | None = None) -> Model:
        """The model as it was after a step; the last that was kept unless given.

        Raises:
            PellucidError: nothing was kept after this step.
        """
        place = len(self.steps) - 1 if step is None else self.place(step)
        return Model(self.config, self.parameters(place), self.tokenizer)

    def parameters(self, place: int) -> dict[str, Array]:
        """The parameters at one place, with no less than 32 bits to a number."""
        found = self.frames.at(place)
        return {name: np.asarray(array, widened(array.dtype)) for name, array in found.items()}

    def place(self, step: int) -> int:
        """Where among `steps` a step is.

        Raises:
            PellucidError: it was not kept.
        """
        if step not in self.steps:
            nearest = sorted(self.steps, key=lambda kept: abs(kept - step))[:3]
            near = ", ".join(map(str, sorted(nearest)))
            raise PellucidError(f"The film has no {self.unit} {step}. Near it are {near}.")
        return self.steps.index(step)

    def trace(
        self,
        prompt: str | None = None,
        *,
        ids: Sequence[int] | None = None,
        names: Iterable[str] | None = None,
        steps: Iterable[int] | None = None,
        memory: float | None = None,
    ) -> FilmTrace:
        """What the model made of a prompt at every step that was kept: tensors with a dim `step`.

        Args:
            prompt: text; a start token is put before it where the tokenizer has one.
            ids: token ids instead, exactly as they are.
            names: the tensors to keep; everything unless given.
            steps: of those that the film has; all of them unless given.
            memory: bytes that it may take; nine tenths of what is available unless given.

        Raises:
            PellucidError: as `Model.trace`, or the film has no such step.
        """
        places = range(len(self.steps)) if steps is None else sorted(set(map(self.place, steps)))
        return trace_film(self, places, prompt=prompt, ids=ids, names=names, memory=memory)

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        return to_html(self)


def film(run: str | PathLike[str] | TextRun | TrainingRun) -> Film:
    """The film of a training that was asked for one: `pellucid.train(…, film=10)`.

    Args:
        run: what the training handed out, or the run's folder, while it goes on as well.

    Raises:
        PellucidError: there is no film, nothing is on it yet, or it is damaged.
    """
    if isinstance(run, TextRun | TrainingRun):
        if run.frames is not None:
            model = run.model
            return Film(model.config, model.tokenizer, run.frames, losses_of(run))
        if isinstance(run, TrainingRun) or run.folder is None:
            raise PellucidError("This training kept no film: train with film=10, for example.")
        run = run.folder
    return open_film(Path(run))


def open_film(folder: Path) -> Film:
    """The film in a run's folder.

    Raises:
        PellucidError: there is none, nothing is on it yet, or it is damaged.
    """
    path = folder / FILM
    if not path.exists():
        raise PellucidError(
            f"{folder} has no {FILM}: a film is kept by pellucid train --film 10, for example."
        )
    frames = FilmFile(path).frames()
    if not frames.steps:
        raise PellucidError(f"{path} is empty yet: the training has not kept a step.")
    described = described_in(folder)
    tokenizer = load_tokenizer(described)
    losses = read_losses(folder, frames.unit)
    return Film(read_config(described / CONFIG), tokenizer, frames, losses)


def described_in(folder: Path) -> Path:
    """The folder that has the config: the run's own, or until it is there a checkpoint's."""
    if (folder / CONFIG).exists():
        return folder
    return next((path.parent for path in sorted(folder.glob(f"checkpoints/*/{CONFIG}"))), folder)


def widened(dtype: np.dtype[np.generic]) -> str:
    """The type in which numbers of this one are computed with."""
    return "float64" if dtype.itemsize > 4 else "float32"
