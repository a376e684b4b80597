"""A training run by itself: how well it ended, how it was made, and the loss on the way."""

from __future__ import annotations

from pellucid.training.run import TrainingRun
from pellucid.training.text_run import TextRun
from pellucid.views.catalogue.training import loss_curve
from pellucid.views.durations import duration
from pellucid.views.scene import Block, Cell, Heading, Table


def run_blocks(run: TrainingRun | TextRun) -> tuple[Block, ...]:
    """The outcome in a line, the facts in a table, then the curve of the loss."""
    facts = sentence_facts(run) if isinstance(run, TrainingRun) else text_facts(run)
    common: tuple[tuple[str, Cell], ...] = (
        ("parameters", f"{run.model.n_parameters:,}"),
        ("learning rate", f"{run.recipe.learning_rate:g}, {run.recipe.schedule}"),
        ("batch size", f"{run.recipe.batch_size:,}"),
        ("seed", str(run.seed)),
        ("time", f"{run.seconds:.1f} s" if run.seconds < 10 else duration(run.seconds)),
    )
    table = Table(None, ("", "value"), (*facts, *common), align=("left", "left"))
    return (Heading(outcome(run), level=2), table, *(loss_curve(run) if run.history else ()))


def outcome(run: TrainingRun | TextRun) -> str:
    """The loss that it came to."""
    loss = "no loss" if run.loss is None else f"loss {run.loss:.4f} nats per token"
    if isinstance(run, TextRun) and not run.finished:
        return f"A training that was stopped: {loss} so far"
    return f"A training: {loss}"


def sentence_facts(run: TrainingRun) -> tuple[tuple[str, Cell], ...]:
    """What there is to say of a training on sentences alone."""
    return (
        ("floor", f"{run.floor:.4f} nats per token, the least that any model can have"),
        ("above the floor", f"{run.loss - run.floor:.4f}"),
        ("epochs", f"{run.recipe.epochs:,}"),
    )


def text_facts(run: TextRun) -> tuple[tuple[str, Cell], ...]:
    """What there is to say of a training on running text alone."""
    return (
        ("the model after", f"{run.best_step:,} of {run.recipe.steps:,} steps"),
        *((("folder", str(run.folder)),) if run.folder is not None else ()),
    )
