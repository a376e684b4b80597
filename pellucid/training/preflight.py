"""Preflight: what a training on text is going to take, known before its first step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

import numpy as np

from pellucid.decoder.parameters import ParameterSpec
from pellucid.text.baselines import Baselines, baselines
from pellucid.trace.memory import in_bytes
from pellucid.training.preparation import BY_HEART, Preparation
from pellucid.training.text_trainer import TextTrainer

BACKWARD_COST = 2
"""The way back takes two products for each one of the way forwards."""
TIMED = 3
"""Parts of a batch that are run to time one, after a first."""
MOST_REHEARSED = 10**12
"""Floating-point operations of a part that a CPU runs to time it; of a larger one, one window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """The figures of a training. Bytes, seconds, and nats per token."""

    characters: int
    bytes: int
    """Of the text in UTF-8."""
    documents: int
    tokens: int
    training_tokens: int
    validation_tokens: int
    keeps_last: bool
    """Whether the run is the last model in the end, and not the best by validation."""
    vocab_size: int
    tokenizer: str
    """Its kind: "character", "word", "byte-pair"."""
    baselines: Baselines
    """Of the whole text: what a model has to beat."""
    block_size: int
    steps: int
    steps_taken: int
    """Before this run, where it is resumed."""
    tokens_per_step: int
    parameters: int
    decayed: tuple[str, ...]
    """Names of the parameters that weight decay shrinks."""
    not_decayed: tuple[str, ...]
    flops_per_step: int
    """Floating-point operations, forwards and backwards; a multiply-add counts as two."""
    memory_needed: int
    memory_there: int | None
    """None where the system does not say."""
    engine: str
    device: str
    processes: int
    sharding: str
    threads: int
    """In each process."""
    seconds_per_step: float
    """By a short timing."""

    @property
    def by_heart(self) -> bool:
        """Whether the last model is kept of a text so short that no more than that is learned."""
        return self.keeps_last and self.training_tokens < BY_HEART

    @property
    def tokens_per_character(self) -> float:
        return self.tokens / self.characters

    @property
    def epochs(self) -> float:
        """How often the training sees each token of its part of the text."""
        return self.steps * self.tokens_per_step / self.training_tokens

    @property
    def seconds(self) -> float:
        """What the steps that are left will take, validation and samples aside."""
        return (self.steps - self.steps_taken) * self.seconds_per_step


def preflight(prepared: Preparation, trainer: TextTrainer, *, threads: int) -> Preflight:
    """Measure a training that is about to begin or go on; the parameters do not move."""
    recipe, tokens, start = prepared.recipe, prepared.tokens, prepared.start
    environment = trainer.learner.environment()
    decayed, spared = by_decay(start.specs.values())
    per_window = (1 + BACKWARD_COST) * trainer.learner.graph.flops(prepared.block_size)
    return Preflight(
        characters=tokens.characters,
        bytes=tokens.bytes,
        documents=tokens.documents,
        tokens=len(tokens.ids),
        training_tokens=len(prepared.training),
        validation_tokens=len(prepared.validation),
        keeps_last=recipe.keep == "last" or not len(prepared.validation),
        vocab_size=tokens.tokenizer.vocab_size,
        tokenizer=tokens.tokenizer.kind,
        baselines=baselines(tokens.ids, vocab_size=tokens.tokenizer.vocab_size),
        block_size=prepared.block_size,
        steps=recipe.steps,
        steps_taken=trainer.steps_taken,
        tokens_per_step=recipe.batch_size * prepared.block_size,
        parameters=start.n_parameters,
        decayed=decayed,
        not_decayed=spared,
        flops_per_step=per_window * recipe.batch_size,
        memory_needed=memory_needed(trainer, prepared.block_size),
        memory_there=trainer.learner.memory_there(),
        engine=environment.engine,
        device=environment.device,
        processes=environment.processes,
        sharding=trainer.learner.execution.sharding,
        threads=threads,
        seconds_per_step=seconds_per_step(trainer, flops_per_window=per_window),
    )


def shortage(figures: Preflight) -> str:
    """Words for more memory needed than there is; "" where it suffices or is not known."""
    needed, there = figures.memory_needed, figures.memory_there
    if there is None or needed <= there:
        return ""
    return (
        f"The training takes about {in_bytes(needed)} of memory, and {in_bytes(there)} are there. "
        "With a larger accumulate it takes less."
    )


def by_decay(specs: Iterable[ParameterSpec]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the parameters that weight decay shrinks, and of those that it leaves alone."""
    decayed = tuple(spec.name for spec in specs if spec.kind == "matrix")
    return decayed, tuple(spec.name for spec in specs if spec.kind != "matrix")


def memory_needed(trainer: TextTrainer, block_size: int) -> int:
    """Bytes of the parameters with all that goes with them, and of the tensors of one part."""
    windows = -(-len(trainer.own) // trainer.recipe.accumulate)
    return trainer.learner.memory_needed(windows, block_size)


def seconds_per_step(trainer: TextTrainer, *, flops_per_window: int) -> float:
    """The time of one part of a batch, times the parts. What moves the parameters is little.

    Which windows are run must not depend on a clock: processes that train together run the same.
    """
    step = trainer.steps_taken
    part, windows = trainer.parts(step)[0], 1
    on_cpu = trainer.learner.environment().device == "cpu"
    if on_cpu and len(part.ids) * flops_per_window > MOST_REHEARSED:
        part, windows = trainer.part(step, np.asarray(trainer.own[:1])), len(part.ids)
    times = []
    for _ in range(1 + TIMED):
        started = perf_counter()
        trainer.learner.rehearse(part)
        times.append(perf_counter() - started)
    # The first run makes arrays that later ones find made.
    return median(times[1:]) * windows * trainer.recipe.accumulate
