"""Training on running text, from the first step or from the latest checkpoint."""

from __future__ import annotations

from math import inf
from os import PathLike
from pathlib import Path

from pellucid.decoder.config import ModelConfig
from pellucid.model.model import Model
from pellucid.training.checkpoint import restore
from pellucid.training.environment import Environment
from pellucid.training.interrupt import interruptible
from pellucid.training.listeners import Listeners
from pellucid.training.preflight import preflight, shortage
from pellucid.training.preparation import Corpus, Preparation, TextOptions, prepare
from pellucid.training.resumption import best_of, prepare_again
from pellucid.training.run_folder import RunFolder
from pellucid.training.text_recipe import TextRecipe
from pellucid.training.text_run import TextRun
from pellucid.training.text_trainer import TextTrainer
from pellucid.training.text_training import Best, TextTraining
from pellucid.training.threads import blas_threads, pinned


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
    listeners: Listeners,
    options: TextOptions,
) -> TextRun:
    """Train on running text; arguments and errors as `pellucid.train`."""
    folder = None if out is None else RunFolder(Path(out))
    if folder is not None:
        folder.check_unused()
    prepared = prepare(
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
    trainer = make_trainer(prepared)
    if folder is not None:
        folder.begin()
    best = Best(prepared.start, 0, inf)
    return go(prepared, trainer, best, folder, threads or blas_threads(), listeners)


def resume_text(
    path: str | PathLike[str],
    *,
    corpus: Corpus | None = None,
    steps: int | None = None,
    threads: int | None = None,
    listeners: Listeners,
) -> TextRun:
    """Go on with the run in a folder; arguments and errors as `pellucid.train`."""
    folder = RunFolder(Path(path))
    record = folder.read()
    prepared = prepare_again(
        folder, record, corpus=corpus, steps=steps, on_notice=listeners.on_notice
    )
    trainer = make_trainer(prepared)
    restore(trainer, folder.checkpoint(record.checkpoint))
    best = best_of(folder, record)
    folder.go_on(record)
    recorded = record.environment
    pinned_to = threads or recorded.threads
    with pinned(pinned_to):
        elsewhere = recorded.differences(Environment.here())
    if elsewhere:
        listeners.on_notice(
            f"This run began elsewhere ({', '.join(elsewhere)}): it goes on, but not to the same "
            "last digit."
        )
    return go(prepared, trainer, best, folder, pinned_to, listeners)


def make_trainer(prepared: Preparation) -> TextTrainer:
    """A trainer before its first step."""
    return TextTrainer(
        prepared.start,
        prepared.training,
        recipe=prepared.recipe,
        block_size=prepared.block_size,
        seed=prepared.seed,
    )


def go(
    prepared: Preparation,
    trainer: TextTrainer,
    best: Best,
    folder: RunFolder | None,
    threads: int,
    listeners: Listeners,
) -> TextRun:
    """Report the figures and take the steps, on so many threads."""
    try:
        with pinned(threads), interruptible() as interrupt:
            figures = preflight(prepared, trainer, threads=threads)
            listeners.on_preflight(figures)
            if words := shortage(figures):
                listeners.on_notice(words)
            training = TextTraining(
                prepared,
                trainer,
                best=best,
                folder=folder,
                listeners=listeners,
                environment=Environment.here(),
            )
            return training.run(figures, lambda: interrupt.wished or listeners.stop())
    finally:
        if folder is not None:
            folder.close()
