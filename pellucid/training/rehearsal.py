"""Rehearsal: the figures of a training on text, without a step of it and without a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path

from pellucid.decoder.config import ModelConfig
from pellucid.model.model import Model
from pellucid.training.checkpoint import restore
from pellucid.training.execution import settled
from pellucid.training.preflight import Preflight, preflight, shortage
from pellucid.training.preparation import Corpus, Preparation, TextOptions, prepare
from pellucid.training.ranks import ranks_for
from pellucid.training.resumption import prepare_again
from pellucid.training.run_folder import RunFolder
from pellucid.training.text_recipe import TextRecipe
from pellucid.training.text_trainer import TextTrainer
from pellucid.training.threads import pinned, threads_of
from pellucid.training.trainers import make_trainer

OnNotice = Callable[[str], object]
AS_USUAL: Mapping[str, object] = {}
"""Nothing of an execution is asked for: see `Execution`."""


def rehearse(
    corpus: Corpus | None = None,
    *,
    preset: str | ModelConfig | None = None,
    recipe: str | TextRecipe | None = None,
    seed: int = 0,
    dtype: str = "float32",
    from_model: str | PathLike[str] | Model | None = None,
    encoding: str = "utf-8",
    threads: int | None = None,
    how: Mapping[str, object] = AS_USUAL,
    on_notice: OnNotice | None = None,
    options: TextOptions,
) -> Preflight:
    """What the same arguments of `pellucid.train` would begin with.

    Raises:
        PellucidError: what it would raise before its first step, the folder aside.
    """
    dtype, execution = settled(dtype, how)
    ranks = ranks_for(execution)
    on_notice = on_notice if ranks.is_first else None
    prepared = ranks.in_turn(
        lambda: prepare(
            corpus,
            preset=preset,
            recipe=recipe,
            from_model=from_model,
            seed=seed,
            dtype=dtype,
            encoding=encoding,
            on_notice=on_notice,
            options=options,
        )
    )
    threads = threads_of(execution.engine) if threads is None else threads
    trainer = ranks.in_step(lambda: make_trainer(prepared, execution, ranks))
    return figures_of(prepared, trainer, threads, on_notice)


def rehearse_resumption(
    path: str | PathLike[str],
    *,
    corpus: Corpus | None = None,
    steps: int | None = None,
    threads: int | None = None,
    how: Mapping[str, object] = AS_USUAL,
    on_notice: OnNotice | None = None,
) -> Preflight:
    """The same for a run that would be resumed; its folder is only read.

    Raises:
        PellucidError: the run cannot be gone on with.
    """
    folder = RunFolder(Path(path))
    record = folder.read()
    execution = record.execution.changed(**how)
    ranks = ranks_for(execution)
    on_notice = on_notice if ranks.is_first else None
    prepared = ranks.in_turn(
        lambda: prepare_again(folder, record, corpus=corpus, steps=steps, on_notice=on_notice)
    )
    trainer = ranks.in_step(lambda: make_trainer(prepared, execution, ranks))
    ranks.in_step(lambda: restore(trainer, folder.checkpoint(record.checkpoint)))
    if threads is None:
        threads = record.environment.threads_again(execution.engine, ranks)
    return figures_of(prepared, trainer, threads, on_notice)


def figures_of(
    prepared: Preparation, trainer: TextTrainer, threads: int, on_notice: OnNotice | None
) -> Preflight:
    """The figures on so many threads, and a notice where memory does not suffice."""
    with pinned(threads, trainer.learner.execution.engine):
        figures = preflight(prepared, trainer, threads=threads)
    if on_notice is not None and (words := shortage(figures)):
        on_notice(words)
    return figures
