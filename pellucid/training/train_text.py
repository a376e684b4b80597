"""Training on running text, from the first step or from the latest checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import inf
from os import PathLike
from pathlib import Path

from pellucid.decoder.config import ModelConfig
from pellucid.model.model import Model
from pellucid.training.checkpoint import restore
from pellucid.training.environment import Environment
from pellucid.training.execution import Execution
from pellucid.training.film_plan import FilmPlan
from pellucid.training.film_recorder import FilmRecorder, begin_film, go_on_with_film
from pellucid.training.interrupt import interruptible
from pellucid.training.listeners import Listeners
from pellucid.training.preflight import preflight, shortage
from pellucid.training.preparation import Corpus, Preparation, TextOptions, prepare
from pellucid.training.ranks import Ranks, ranks_for
from pellucid.training.resumption import best_of, prepare_again
from pellucid.training.run_folder import Record, RunFolder
from pellucid.training.sharded_folder import ShardedFolder
from pellucid.training.text_recipe import TextRecipe
from pellucid.training.text_run import TextRun
from pellucid.training.text_trainer import TextTrainer
from pellucid.training.text_training import Best, TextTraining
from pellucid.training.threads import pinned, threads_of
from pellucid.training.trainers import make_trainer


def train_text(
    corpus: Corpus | None,
    *,
    preset: str | ModelConfig | None = None,
    recipe: str | TextRecipe | None = None,
    seed: int = 0,
    dtype: str = "float32",
    out: str | PathLike[str] | None = None,
    from_model: str | PathLike[str] | Model | None = None,
    encoding: str = "utf-8",
    threads: int | None = None,
    film: FilmPlan | None = None,
    execution: Execution,
    listeners: Listeners,
    options: TextOptions,
) -> TextRun:
    """Train on running text; arguments and errors as `pellucid.train`."""
    ranks = ranks_for(execution)
    listeners = listeners.of(ranks)
    folder = None if out is None else run_folder(out, execution, ranks)
    ranks.together(None if folder is None else folder.check_unused)
    prepared = ranks.in_turn(
        lambda: prepare(
            corpus,
            preset=preset,
            recipe=recipe,
            from_model=from_model,
            seed=seed,
            dtype=dtype,
            encoding=encoding,
            on_notice=listeners.on_notice,
            options=options,
        )
    )
    trainer = ranks.in_step(lambda: make_trainer(prepared, execution, ranks))
    if folder is not None:
        ranks.in_step(folder.begin)
        ranks.in_step(folder.check_seen)
    best = Best(prepared.start, 0, inf)
    begin = partial(begin_film, trainer, film, None if folder is None else folder.path)
    threads = threads or threads_of(execution.engine)
    return go(prepared, trainer, best, folder, begin, threads, listeners)


def resume_text(
    path: str | PathLike[str],
    *,
    corpus: Corpus | None = None,
    steps: int | None = None,
    threads: int | None = None,
    how: Mapping[str, object],
    listeners: Listeners,
) -> TextRun:
    """Go on with the run in a folder; arguments and errors as `pellucid.train`.

    `how` has what of its execution is to be another than it was.
    """
    record = RunFolder(Path(path)).read()
    execution = record.execution.changed(**how)
    ranks = ranks_for(execution)
    listeners = listeners.of(ranks)
    folder = run_folder(path, execution, ranks)
    prepared = ranks.in_turn(
        lambda: prepare_again(
            folder, record, corpus=corpus, steps=steps, on_notice=listeners.on_notice
        )
    )
    trainer = ranks.in_step(lambda: make_trainer(prepared, execution, ranks))
    ranks.in_step(lambda: restore(trainer, folder.checkpoint(record.checkpoint)))
    best = best_of(folder, record, in_memory=not execution.shards)
    ranks.in_step(lambda: folder.go_on(record))
    threads = threads or record.environment.threads_again(execution.engine, ranks)
    with pinned(threads, execution.engine):
        here = trainer.learner.environment()
    say_what_differs(record, here, listeners)
    film = partial(go_on_with_film, trainer, folder.path)
    return go(prepared, trainer, best, folder, film, threads, listeners)


def say_what_differs(record: Record, here: Environment, listeners: Listeners) -> None:
    """A notice, where a run goes on elsewhere than it began."""
    elsewhere = record.environment.differences(here)
    if elsewhere:
        listeners.on_notice(
            f"This run began elsewhere ({', '.join(elsewhere)}): it goes on, but not to the same "
            "last digit."
        )


def run_folder(path: str | PathLike[str], execution: Execution, ranks: Ranks) -> RunFolder:
    """The run's folder, as its checkpoints are written: by the first rank, or by all."""
    if not execution.shards:
        return RunFolder(Path(path), ranks)
    return ShardedFolder(Path(path), ranks)


def go(
    prepared: Preparation,
    trainer: TextTrainer,
    best: Best,
    folder: RunFolder | None,
    film: Callable[[], FilmRecorder | None],
    threads: int,
    listeners: Listeners,
) -> TextRun:
    """Report the figures and take the steps, on so many threads.

    `film` makes what keeps the parameters at some steps, if anything does.
    """
    ranks, learner = trainer.ranks, trainer.learner
    several = ranks.size > 1
    try:
        with (
            pinned(threads, learner.execution.engine),
            interruptible(termination=several) as interrupt,
            ranks.noticing(lambda: "" if folder is None else folder.how_to_go_on("")),
        ):
            figures = preflight(prepared, trainer, threads=threads)
            listeners.on_preflight(figures)
            if listeners.on_sample is not None and learner.execution.shards:
                listeners.on_notice("A model that is divided is not asked for samples.")
            if words := shortage(figures):
                listeners.on_notice(words)
            recorder = film()
            if recorder is not None:
                listeners.on_notice(recorder.says)
            training = TextTraining(
                prepared, trainer, best=best, folder=folder, film=recorder, listeners=listeners
            )
            return training.run(figures, lambda: ranks.any(interrupt.wished or listeners.stop()))
    finally:
        if folder is not None:
            folder.close()
