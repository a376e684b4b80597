"""Two measures of one epoch's loss, and why one of them can lie below the floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pellucid.text.corpora import GROOT
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import count, nats, prose, see
from pellucid.training.history import Epoch
from pellucid.training.recipes import RECIPES
from pellucid.training.run import TrainingRun
from pellucid.views.scene import Block, Heading, Prose, Table

# What the notebook of the embedded corpus printed (torch, its seed 42), and what is true of its
# run: facts about somebody else's numbers, and the only ones in the tour that are not computed.
NOTEBOOK_EPOCH, NOTEBOOK_PRINTED, NOTEBOOK_MEAN_OVER_PAIRS = 450, 0.7264, 0.7472
NOTEBOOK_EPOCHS, NOTEBOOK_BELOW, NOTEBOOK_BELOW_OVER_PAIRS = 500, 34, 0
NOTEBOOK = "BabyGrootGPT, the published walkthrough notebook that the embedded sentences are from"


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
    quoted = corpus.sentences == GROOT
    return (
        heading,
        explanation(batches, run),
        comparison(batches, run, quoted=quoted),
        see(below_the_floor(run.history, corpus.floor, quoted=quoted)),
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
        What is the loss of a whole epoch? The mean over its pairs, everywhere in this tour. Many
        training loops print the mean of the batches' means instead, in which a pair of a short last
        batch weighs more. So did {NOTEBOOK}. Its recipe, run here once more for
        {count(run.recipe.epochs, "epoch")}, cuts {batches.pairs} pairs into {full} of
        {batches.size} and a last one of {batches.last}, whose pairs weigh
        {batches.size / batches.last:.2f} times as much. Here is an epoch whose short batch was
        {"easy" if is_easy(batches, most_flattered(run.history)) else "hard"}:
        """
    )


def comparison(batches: Batches, run: TrainingRun, *, quoted: bool) -> Table:
    """One epoch by both measures, here and, for its own corpus, in the notebook."""
    epoch = most_flattered(run.history)
    return Table(
        None,
        ("run", "epoch", "full batches", "short batch", "over pairs", "of means"),
        (
            row("here", epoch.number, batches, epoch.loss, epoch.mean_of_batches, 4),
            *(
                [
                    row(
                        "BabyGrootGPT",
                        NOTEBOOK_EPOCH,
                        batches,
                        NOTEBOOK_MEAN_OVER_PAIRS,
                        NOTEBOOK_PRINTED,
                        2,
                    )
                ]
                if quoted
                else []
            ),
        ),
        align=("left", "right", "decimal", "decimal", "decimal", "decimal"),
    )


def row(
    name: str, epoch: int, batches: Batches, over_pairs: float, of_means: float, decimals: int
) -> tuple[str, int, str, str, str, str]:
    """One epoch: the batches' own means to so many decimals, then both measures."""
    full = batches.mean_of_full(over_pairs=over_pairs, of_means=of_means)
    short = batches.mean_of_last(over_pairs=over_pairs, of_means=of_means)
    return (
        name,
        epoch,
        f"{full:.{decimals}f}",
        f"{short:.{decimals}f}",
        f"{over_pairs:.4f}",
        f"{of_means:.4f}",
    )


def below_the_floor(history: Sequence[Epoch], floor: float, *, quoted: bool) -> str:
    """How often each measure lies below the floor, here and in the notebook."""
    below = sum(epoch.mean_of_batches < floor for epoch in history)
    truly_below = sum(epoch.loss < floor for epoch in history)
    return f"""
        No model can do better than the floor, {nats(floor)}, yet by the mean of means
        {count(below, "epoch")} of {len(history)} {"lies" if below == 1 else "lie"} below it; by the
        mean over pairs {truly_below or "none"}. {in_the_notebook(floor) if quoted else ""}
        """


def in_the_notebook(floor: float) -> str:
    """The same in the notebook's own printed numbers."""
    return f"""
        The notebook's {NOTEBOOK_PRINTED} lies below the floor, {floor:.4f}, for the same reason;
        the mean over the pairs was {NOTEBOOK_MEAN_OVER_PAIRS}. Of its {NOTEBOOK_EPOCHS} epochs
        {NOTEBOOK_BELOW} lie below by the mean of means, {NOTEBOOK_BELOW_OVER_PAIRS or "none"} by
        the mean over the pairs.
        """


def is_easy(batches: Batches, epoch: Epoch) -> bool:
    """Whether an epoch's short batch had the smaller mean."""
    both = {"over_pairs": epoch.loss, "of_means": epoch.mean_of_batches}
    return batches.mean_of_last(**both) < batches.mean_of_full(**both)


def most_flattered(history: Sequence[Epoch]) -> Epoch:
    """The late epoch whose mean of means lies farthest below its mean over the pairs."""
    return max(second_half(history), key=lambda epoch: epoch.loss - epoch.mean_of_batches)


def second_half(history: Sequence[Epoch]) -> Sequence[Epoch]:
    """The epochs in which the loss no longer falls much."""
    return history[len(history) // 2 :]
