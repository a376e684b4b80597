"""Part 2: the model, and its training down to the floor."""

from __future__ import annotations

from math import log

import numpy as np

from pellucid.ops.operation import Array
from pellucid.tour.anatomy import anatomy
from pellucid.tour.endings import endings
from pellucid.tour.floor import floor
from pellucid.tour.gradient import gradient
from pellucid.tour.lesson import Lesson
from pellucid.tour.measures import measures
from pellucid.tour.phrases import count, nats, percent, prose, quoted, see
from pellucid.training.history import Epoch
from pellucid.training.recipes import Recipe
from pellucid.training.run import TrainingRun
from pellucid.views.catalogue.training import epoch_curve
from pellucid.views.scene import Block, Heading, Table

ROWS = 10
OPTIMIZERS = {"adam": "Adam", "adamw": "AdamW"}


def training(lesson: Lesson) -> tuple[Block, ...]:
    """The model's steps and parameters, how it was trained, and how well that went."""
    return (
        *anatomy(lesson),
        *how_it_learned(lesson),
        *floor(lesson),
        *measures(lesson),
        *endings(lesson),
    )


def how_it_learned(lesson: Lesson) -> tuple[Block, ...]:
    """The loss, its slope, and the training that made it small."""
    if lesson.trials is None:
        made = prose(
            """
            This model was given to the tour, not trained in it: there is no training to watch here.
            Where Pellucid trained it, metrics.jsonl in its folder has the losses on the way.
            """
        )
        return *loss(lesson), *gradient(lesson), made
    return *loss(lesson), *gradient(lesson), *curve(lesson.trials.run)


def loss(lesson: Lesson) -> tuple[Block, ...]:
    """What a training makes small, on the example of the prompt."""
    vocab = lesson.model.config.vocab_size
    question = prose(
        f"""
        How wrong is an answer? As wrong as the truth is a surprise to its author. If the model gave
        the token that really came next the [probability](probs) p, its **loss** is −ln p, in
        **nats**: 0 for a certainty, {-log(0.5):.3f} for one chance in two. Whoever knows nothing
        and gives each of {vocab:,} tokens the same chance pays ln {vocab:,} = {nats(log(vocab))}.
        """
    )
    if not lesson.followers:
        return Heading("The loss", 2), question
    tokens, followers = lesson.trace.tokens, lesson.model.labels(lesson.followers)
    losses = surprises(lesson)
    shares = np.exp(-losses).tolist()
    dearest = int(losses.argmax())
    return (
        Heading("The loss", 2),
        question,
        Table(
            "This model on the prompt",
            ("after", "comes", "p", "−ln p"),
            # Followers are one fewer than tokens, unless the prompt is a whole sentence.
            tuple(zip(tokens, followers, shares, losses.tolist(), strict=False)),
        ),
        see(
            f"""
            The mean is {nats(losses.mean())}. The greatest surprise is
            {quoted(followers[dearest])} after {quoted(tokens[dearest])}. {about_end(lesson)}
            """
        ),
    )


def surprises(lesson: Lesson) -> Array:
    """−ln of the probability of each follower, in nats; from logits, so that none is infinite."""
    logits = lesson.trace["logits"].values[: len(lesson.followers)].astype(np.float64)
    levelled = logits - logits.max(axis=-1, keepdims=True)
    told = levelled[np.arange(len(logits)), lesson.followers]
    surprise: Array = np.log(np.exp(levelled).sum(axis=-1)) - told
    return surprise


def about_end(lesson: Lesson) -> str:
    """Why nothing is asked after the prompt's last token, where nothing is."""
    if len(lesson.followers) == len(lesson.prompt_ids):
        return ""
    return f"""
        After {lesson.token(-1)} nothing is asked: the prompt does not say what follows.
        """


def curve(run: TrainingRun) -> tuple[Block, ...]:
    """The loss of every epoch over the floor."""
    history = run.history
    return (
        Heading("The training", 2),
        prose(
            f"""
            How long does it take? In a training all parameters step at once, again and again, each
            by its own gradient; how far, an **optimizer** decides, here
            {OPTIMIZERS[run.recipe.optimizer]}. The loss is then the mean over many pairs, taken at
            the last real token of each context; padding has no part in it. One pass over all pairs
            is an **epoch**. {recipe_in_words(run.recipe, run)}
            """
        ),
        epoch_curve(run),
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
