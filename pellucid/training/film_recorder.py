"""FilmRecorder: keeps a training's parameters at the steps of a plan while it goes on.

What it keeps is copied, and written beside the training: it changes no number of it, and steps do
not wait for the disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Protocol, cast

import numpy as np

from pellucid.errors import PellucidError
from pellucid.ops.operation import Array
from pellucid.trace.memory import in_bytes
from pellucid.training.durable import telling
from pellucid.training.film_file import FILM, About, FilmFile, write_film
from pellucid.training.film_plan import FilmPlan
from pellucid.training.frames import FilmInMemory, Frames, Rows
from pellucid.training.learner import Sharded
from pellucid.training.shards import rows_of
from pellucid.training.text_trainer import TextTrainer
from pellucid.training.writing import Writing


class Reel(Protocol):
    """Where frames go: a file, or memory."""

    @property
    def dtype(self) -> str: ...

    def frames(self) -> Frames: ...

    def write(self, place: int, rows: Rows) -> None: ...

    def mark(self, place: int) -> None: ...

    def flush(self) -> None: ...


class FilmRecorder:
    """Keeps the parameters of a trainer in a reel. With several ranks, every method is for all."""

    def __init__(
        self, trainer: TextTrainer, reel: Reel, planned: tuple[int, ...], folder: Path | None = None
    ) -> None:
        self.trainer = trainer
        self.reel = reel
        self.folder = folder
        self.places = {step: place for place, step in enumerate(planned)}
        self.writing: Writing | None = None
        self.pending = 0

    @property
    def says(self) -> str:
        """What a reader wants to know of it before it begins."""
        size = self.trainer.start.n_parameters * np.dtype(self.reel.dtype).itemsize
        where = "memory" if self.folder is None else str(self.folder / FILM)
        count = len(self.places)
        return f"The film keeps {count:,} steps, {in_bytes(count * size)}, in {where}."

    def take(self) -> None:
        """Keep the parameters as they now stand, if this is a step to keep.

        Raises:
            PellucidError: those before could not be written.
        """
        place = self.places.get(self.trainer.steps_taken)
        if place is None:
            return
        self.settle()
        rows = rows_to_keep(self.trainer, self.reel.dtype)
        write = self.write if rows and not self.is_divided else self.reel.write
        self.pending, self.writing = place, Writing(partial(write, place, rows))

    @property
    def is_divided(self) -> bool:
        """Whether each rank writes a part of what is kept."""
        return self.trainer.learner.execution.shards

    def write(self, place: int, rows: Rows) -> None:
        """Write all that there is of a place."""
        self.reel.write(place, rows)
        self.reel.mark(place)

    def settle(self) -> None:
        """Wait until what was taken is written.

        Raises:
            PellucidError: it could not be.
        """
        writing, self.writing = self.writing, None
        if writing is None:
            return
        ranks = self.trainer.ranks
        ranks.in_step(lambda: writing.finish(self.folder or Path()))
        if self.is_divided and ranks.is_first:
            with telling(self.folder or Path()):
                self.reel.mark(self.pending)

    def sync(self) -> None:
        """Wait until the disk has all that was taken.

        Raises:
            PellucidError: it could not be written.
        """
        self.settle()
        with telling(self.folder or Path()):
            self.reel.flush()

    def frames(self) -> Frames | None:
        """What was kept where there is no file of it."""
        return self.reel.frames() if self.folder is None else None


def begin_film(
    trainer: TextTrainer, plan: FilmPlan | None, folder: Path | None
) -> FilmRecorder | None:
    """A recorder before the first step; without a plan none, and no film of another run.

    Raises:
        PellucidError: the plan does not fit the training, or there is no room for the film.
    """
    ranks = trainer.ranks
    path = None if folder is None else folder / FILM
    if plan is None:
        if path is not None and ranks.is_first:
            path.unlink(missing_ok=True)
        return None
    planned = ranks.in_step(lambda: plan.moments(trainer.recipe.steps))
    dtype, shapes = plan.dtype(trainer.start.dtype), shapes_of(trainer)
    if path is None:
        memory = FilmInMemory(shapes, dtype=dtype, planned=planned, unit="step")
        return FilmRecorder(trainer, memory, planned)
    about = About(plan=plan, planned=planned)
    ranks.together(partial(create, path, shapes, dtype, about) if ranks.is_first else None)
    return FilmRecorder(trainer, ranks.in_step(lambda: FilmFile(path)), planned, folder)


def go_on_with_film(trainer: TextTrainer, folder: Path) -> FilmRecorder | None:
    """A recorder after a checkpoint: what was kept after it is forgotten. None without a film.

    Raises:
        PellucidError: the film is damaged or another model's, or cannot be written.
    """
    path, ranks = folder / FILM, trainer.ranks
    if not ranks.any(path.exists()):
        return None
    ranks.together(partial(cut_back, path, trainer) if ranks.is_first else None)
    reel = ranks.in_step(lambda: FilmFile(path))
    return FilmRecorder(trainer, reel, reel.about.planned, folder)


def create(path: Path, shapes: Mapping[str, tuple[int, ...]], dtype: str, about: About) -> FilmFile:
    """A new film's file.

    Raises:
        PellucidError: it cannot be written.
    """
    with telling(path):
        return FilmFile.create(path, shapes, dtype=dtype, about=about)


def cut_back(path: Path, trainer: TextTrainer) -> None:
    """Forget what a film has after the trainer's step, and make room for steps that were added.

    Raises:
        PellucidError: the film is damaged or another model's, or cannot be written.
    """
    film = FilmFile(path)
    if film.shapes() != shapes_of(trainer):
        raise PellucidError(
            f"{path} is not of the model beside it: take it away, and the run goes on without."
        )
    with telling(path):
        film.cut_back(trainer.steps_taken)
        kept, plan = film.frames(), film.about.plan
        # A run that is made longer has more steps to keep, and may not end where it would have.
        later = (step for step in moments(plan, trainer) if step > trainer.steps_taken)
        planned = (*kept.steps, *later)
        if planned != film.about.planned:
            write_film(path, kept, about=About(plan=plan, planned=planned))
        else:
            film.flush()


def moments(plan: FilmPlan, trainer: TextTrainer) -> tuple[int, ...]:
    """The steps to keep; those of a list that a shorter run no longer has are left out."""
    last = trainer.recipe.steps
    if plan.every is not None:
        return plan.moments(last)
    return tuple(step for step in plan.steps if step <= last)


def shapes_of(trainer: TextTrainer) -> dict[str, tuple[int, ...]]:
    """The shape of each parameter."""
    return {name: spec.shape for name, spec in trainer.start.specs.items()}


def rows_to_keep(trainer: TextTrainer, dtype: str) -> Rows:
    """Copies of what this rank has to write: all parameters, its rows of them, or nothing."""
    learner = trainer.learner
    if learner.execution.shards:
        return own_rows(cast(Sharded, learner), trainer, dtype)
    if not trainer.ranks.is_first:
        return {}
    return {name: (0, rounded(array, dtype)) for name, array in learner.parameters.items()}


def own_rows(learner: Sharded, trainer: TextTrainer, dtype: str) -> Rows:
    """The rows of a divided model that this rank writes; every other rank writes the others."""
    if not learner.is_written:
        return {}
    shard, shards = learner.shard, learner.shards
    return {
        name: (rows_of(trainer.start.specs[name].shape[0], shard, shards)[0], rounded(rows, dtype))
        for name, rows in learner.parameter_rows().items()
    }


def rounded(array: Array, dtype: str) -> Array:
    """A copy in another type; what is too large for it is infinite."""
    with np.errstate(over="ignore"):
        copy: Array = np.array(array, dtype)
    return copy
