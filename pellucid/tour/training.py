"""Part 2: the model, and its training down to the floor."""

from __future__ import annotations

from math import log

import numpy as np

from pellucid.tour.anatomy import anatomy
from pellucid.tour.floor import floor
from pellucid.tour.lesson import Lesson
from pellucid.tour.measures import measures
from pellucid.tour.phrases import count, nats, percent, prose, quoted, see
from pellucid.training.history import Epoch
from pellucid.training.recipes import Recipe
from pellucid.training.run import TrainingRun
from pellucid.views.scene import Block, Curve, Heading, Level, Series, Table

ROWS = 10


def training(lesson: Lesson) -> tuple[Block, ...]:
    """The model's steps and parameters, how it was trained, and how well that went."""
    return *anatomy(lesson), *how_it_learned(lesson), *floor(lesson), *measures(lesson)


def how_it_learned(lesson: Lesson) -> tuple[Block, ...]:
    """The loss, and the training that made it small."""
    if lesson.trials is None:
        return *loss(lesson), prose("This model came ready made: there is no training to watch.")
    return *loss(lesson), *curve(lesson.trials.run)


def loss(lesson: Lesson) -> tuple[Block, ...]:
    """What a training makes small, on the example of the prompt."""
    vocab = lesson.model.config.vocab_size
    question = prose(
        f"""
        How wrong is an answer? As wrong as the truth is a surprise to its author. If the model gave
        the token that really came next the probability p, its **loss** is −ln p, in **nats**: 0 for
        a certainty, {-log(0.5):.3f} for one chance in two. Whoever knows nothing and gives each of
        {vocab:,} tokens the same chance pays ln {vocab:,} = {nats(log(vocab))}.
        """
    )
    if len(lesson.prompt_ids) < 2:
        return Heading("The loss", 2), question
    trace = lesson.model.trace(lesson.prompt, target="next")
    losses = trace["loss.per_position"].values[:-1]
    dearest = int(losses.argmax())
    return (
        Heading("The loss", 2),
        question,
        Table(
            "This model on the prompt",
            ("after", "comes", "p", "−ln p"),
            tuple(
                (token, follower, float(row[id]), float(surprise))
                for token, follower, row, id, surprise in zip(
                    trace.tokens[:-1],
                    trace.tokens[1:],
                    trace["probs"].values[:-1],
                    trace.ids[1:],
                    losses,
                    strict=True,
                )
            ),
        ),
        see(
            f"""
            The mean is {nats(trace.loss)}. The greatest surprise is
            {quoted(trace.tokens[dearest + 1])} after {quoted(trace.tokens[dearest])}.
            """
        ),
    )


def curve(run: TrainingRun) -> tuple[Block, ...]:
    """The loss of every epoch over the floor."""
    history = run.history
    return (
        Heading("The training", 2),
        prose(
            f"""
            How does it learn? For every parameter the slope of the loss is computed: which way it
            would rise. Then every parameter takes a small step the other way, again and again. The
            loss is taken at the last real token of each context, and padding has no part in it. One
            pass over all pairs is an **epoch**. {recipe_in_words(run.recipe, run)}
            """
        ),
        Curve(
            title="Loss",
            series=(series(history),),
            x_label="epoch",
            y_label="mean over the pairs (nats)",
            levels=(Level("floor", run.floor),),
        ),
        Table(
            None,
            ("epoch", "loss", "above the floor", "learning rate"),
            tuple(
                (
                    epoch.number,
                    f"{epoch.loss:.4f}",
                    f"{epoch.loss - run.floor:.4f}",
                    f"{epoch.learning_rate:.2g}",
                )
                for epoch in sampled(history)
            ),
        ),
        see(
            f"""
            The loss began at {nats(history[0].loss)}. The finished model's is {nats(run.loss)},
            {nats(run.loss - run.floor)} above the floor, of which more in a moment.
            {half_way(history, run.floor)}
            """
        ),
    )


def series(history: tuple[Epoch, ...]) -> Series:
    """The loss over the epochs."""
    numbers = np.array([epoch.number for epoch in history])
    return Series("loss", np.array([epoch.loss for epoch in history]), numbers)


def recipe_in_words(recipe: Recipe, run: TrainingRun) -> str:
    """How long and how fast."""
    rate = f"at a rate of {recipe.learning_rate:g}"
    falls = "" if recipe.schedule == "constant" else f" that falls to 0 along a {recipe.schedule}"
    return f"""
        Here there were {count(recipe.epochs, "epoch")}, {count(recipe.batch_size, "pair")} at most
        to a step, {rate}{falls}. Seed {run.seed} decided the random start.
        """


def sampled(history: tuple[Epoch, ...]) -> list[Epoch]:
    """The first epoch, and others at even distances up to the last."""
    step = max(len(history) // ROWS, 1)
    return [e for e in history if e.number == 1 or (len(history) - e.number) % step == 0]


def half_way(history: tuple[Epoch, ...], floor: float) -> str:
    """The epoch by which half of what could be learned had been learned."""
    middle = (history[0].loss + floor) / 2
    for epoch in history:
        if epoch.loss <= middle:
            share = percent(epoch.number / len(history))
            return f"Half of the way was done by epoch {epoch.number}, {share} of them all."
    return ""
