"""Two measures of one epoch's loss, and why one of them can lie below the floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pellucid.text.corpora import GROOT
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import count, nats, prose, see
from pellucid.training.history import Epoch
from pellucid.training.recipes import RECIPES
from pellucid.training.run import TrainingRun
from pellucid.views.scene import Block, Curve, Heading, Level, Prose, Series, Table

# What the notebook of the embedded corpus printed (torch, its seed 42), and what is true of its
# run: facts about somebody else's numbers, and the only ones in the tour that are not computed.
NOTEBOOK_EPOCH, NOTEBOOK_PRINTED, NOTEBOOK_MEAN_OVER_PAIRS = 450, 0.7264, 0.7472
NOTEBOOK_EPOCHS, NOTEBOOK_BELOW, NOTEBOOK_BELOW_OVER_PAIRS = 500, 34, 0
ROWS = 10


@dataclass(frozen=True)
class Batches:
    """How an epoch of `pairs` is cut into batches of `size`, the last as short as it must be."""

    pairs: int
    size: int

    @property
    def number(self) -> int:
        return -(-self.pairs // self.size)

    @property
    def last(self) -> int:
        """How many pairs the last batch holds."""
        return self.pairs - (self.number - 1) * self.size

    @property
    def even(self) -> bool:
        return self.number == 1 or self.last == self.size

    def mean_of_last(self, *, over_pairs: float, of_means: float) -> float:
        """The last batch's own mean, which follows from the two measures of its epoch.

        With F the sum of the full batches' means and x what is asked for:
        over_pairs · pairs = size · F + last · x, and of_means · number = F + x.
        """
        return (self.size * self.number * of_means - self.pairs * over_pairs) / (
            self.size - self.last
        )

    def mean_of_full(self, *, over_pairs: float, of_means: float) -> float:
        """The mean of the full batches' means, which follows likewise."""
        last = self.mean_of_last(over_pairs=over_pairs, of_means=of_means)
        return (self.number * of_means - last) / (self.number - 1)


def measures(lesson: Lesson) -> tuple[Block, ...]:
    """The notebook's recipe run once, each epoch measured both ways."""
    if lesson.trials is None:
        return ()
    corpus, size = lesson.trials.corpus, RECIPES["notebook"].batch_size
    batches = Batches(len(corpus.pairs), size)
    heading = Heading("Two measures of one loss", 2)
    if batches.even:
        return heading, no_difference(batches)
    run = lesson.trials.notebook
    return (
        heading,
        explanation(batches, run),
        *comparison(batches, run, corpus.floor),
        *(notebook_facts(batches, corpus.floor) if corpus.sentences == GROOT else ()),
    )


def no_difference(batches: Batches) -> Prose:
    """Why there is nothing to compare where all batches are equally large."""
    return prose(
        f"""
        What is the loss of a whole epoch? The mean over its pairs, their sum divided by their
        number. Many training loops print the mean of the batches' means instead. Here the two are
        the same, for {count(batches.pairs, "pair")} in batches of {batches.size} make
        {count(batches.number, "batch", "batches")} of one size.
        """
    )


def explanation(batches: Batches, run: TrainingRun) -> Prose:
    """What the two measures are, and why they differ."""
    full = count(batches.number - 1, "full batch", "full batches")
    return prose(
        f"""
        What is the loss of a whole epoch? For this question alone the same model was trained once
        more, by the recipe of the notebook that the embedded corpus comes from:
        {count(run.recipe.epochs, "epoch")} in batches of {batches.size}, at a constant rate of
        {run.recipe.learning_rate:g}. {batches.pairs} pairs make {full} and a last one of
        {batches.last}. Many training loops print the **mean of the batches' means**. In it a pair
        of a full batch weighs 1/({batches.number} · {batches.size}), a pair of the short one
        1/({batches.number} · {batches.last}), which is {batches.size / batches.last:.2f} times as
        much. The **mean over the pairs**, their sum divided by their number, weighs all alike.
        """
    )


def comparison(batches: Batches, run: TrainingRun, floor: float) -> tuple[Block, ...]:
    """Both measures over the epochs."""
    history = run.history
    later = second_half(history)
    return (
        Curve(
            title="The second half of the epochs",
            series=(
                series("mean of means", later, [epoch.mean_of_batches for epoch in later]),
                series("mean over pairs", later, [epoch.loss for epoch in later]),
            ),
            x_label="epoch",
            y_label="loss (nats)",
            levels=(Level("floor", floor),),
        ),
        Table(
            None,
            ("epoch", "mean over pairs", "mean of means", ""),
            tuple(
                (
                    epoch.number,
                    f"{epoch.loss:.4f}",
                    f"{epoch.mean_of_batches:.4f}",
                    "below the floor" if epoch.mean_of_batches < floor else "",
                )
                for epoch in sampled(history, most_flattered(history))
            ),
        ),
        see(below_the_floor(batches, history, floor)),
    )


def series(name: str, epochs: Sequence[Epoch], losses: Sequence[float]) -> Series:
    """One measure over the epochs."""
    return Series(name, np.array(losses), np.array([epoch.number for epoch in epochs]))


def sampled(history: Sequence[Epoch], special: Epoch) -> list[Epoch]:
    """Epochs at even distances, the last among them, and the special one."""
    step = max(len(history) // ROWS, 1)
    return [
        epoch for epoch in history if (len(history) - epoch.number) % step == 0 or epoch is special
    ]


def below_the_floor(batches: Batches, history: Sequence[Epoch], floor: float) -> str:
    """How often each measure lies below the floor, and how that can be."""
    below = sum(epoch.mean_of_batches < floor for epoch in history)
    truly_below = sum(epoch.loss < floor for epoch in history)
    epoch = most_flattered(history)
    both = {"over_pairs": epoch.loss, "of_means": epoch.mean_of_batches}
    short, full = batches.mean_of_last(**both), batches.mean_of_full(**both)
    kind, direction = ("easy", "down") if short < full else ("hard", "up")
    return f"""
        No model can do better than the floor, {nats(floor)}. By the mean of means
        {count(below, "epoch")} of {len(history)} {"lies" if below == 1 else "lie"} below it; by the
        mean over pairs {truly_below or "none"}. Epoch {epoch.number} shows how the two part: its
        short batch happened to be {kind}, {short:.4f}, while the full ones had {full:.4f}. Weighed
        too heavily, the {kind} one pulls {epoch.loss:.4f} {direction} to
        {epoch.mean_of_batches:.4f}.
        """


def most_flattered(history: Sequence[Epoch]) -> Epoch:
    """The late epoch whose mean of means lies farthest below its mean over the pairs."""
    return max(second_half(history), key=lambda epoch: epoch.loss - epoch.mean_of_batches)


def second_half(history: Sequence[Epoch]) -> Sequence[Epoch]:
    """The epochs in which the loss no longer falls much."""
    return history[len(history) // 2 :]


def notebook_facts(batches: Batches, floor: float) -> tuple[Block, ...]:
    """The same thing in the notebook's own printed numbers."""
    both = {"over_pairs": NOTEBOOK_MEAN_OVER_PAIRS, "of_means": NOTEBOOK_PRINTED}
    return (
        prose(
            f"""
            This is what happened in the notebook itself. At its epoch {NOTEBOOK_EPOCH} it printed
            {NOTEBOOK_PRINTED}, and the floor is {floor:.4f}. The mean over the pairs at that epoch
            was {NOTEBOOK_MEAN_OVER_PAIRS}. From the two follows that its short batch had a mean of
            about {batches.mean_of_last(**both):.2f} and the full ones one of about
            {batches.mean_of_full(**both):.2f}. Of its {NOTEBOOK_EPOCHS} epochs {NOTEBOOK_BELOW} lie
            below the floor by the mean of means, {NOTEBOOK_BELOW_OVER_PAIRS or "none"} by the mean
            over the pairs. Everywhere else in this tour a loss is the mean over the pairs.
            """
        ),
    )
