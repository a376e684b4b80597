"""One seed and many endings: the notebook's training with other numbers of threads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pellucid.engine.find_torch import has_torch
from pellucid.interop.notebook import NotebookTraining, train_as_the_notebook
from pellucid.text.corpora import GROOT
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import count, listed, prose, quoted, see
from pellucid.tour.trials import Trials
from pellucid.views.scene import Block, Curve, Heading, Level, Prose, Series, Table

THREADS = (1, 2, 4)
LAST_EPOCHS = 60
APART = 0.01
"""Losses that differ by so many nats are called apart."""
SAME = 0.001
"""Losses closer than this many nats are called the same."""
OPEN, CLOSED = "groot likes", "rocket helps"
"""A prompt that the sentences complete in three ways, and one that they complete in one."""


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How the notebook's training ended with so many threads; losses in nats, over all pairs."""

    threads: int
    off_by: float
    """How far its ten printed losses are from those that the notebook prints."""
    loss: float
    likes: str
    """What comes after "groot likes"."""
    helps: str
    """What comes after "rocket helps"."""
    decayed: float
    """The loss of the default recipe, from the same fresh weights."""


# What `train_as_the_notebook` gave with torch 2.13.0 on a processor of two cores: shown, and called
# a quotation, where there is no torch to find it anew.
QUOTED = (
    Ending(threads=1, off_by=0.00024, loss=0.8406, likes="tree", helps="groot", decayed=0.7368),
    Ending(threads=2, off_by=0.00004, loss=0.9049, likes="tree", helps="rocket", decayed=0.7368),
    Ending(threads=4, off_by=0.00017, loss=0.7406, likes="friend", helps="groot", decayed=0.7368),
)


def endings(lesson: Lesson) -> tuple[Block, ...]:
    """The same training with 1, 2 and 4 threads, and by a recipe that does not care."""
    trials = lesson.trials
    if trials is None or trials.corpus.sentences != GROOT:
        return ()
    trainings = trained(trials)
    floor = trials.corpus.floor
    found = tuple(ending_of(each) for each in trainings) or QUOTED
    return (
        Heading("One seed, many endings", 2),
        question(),
        *([last_epochs(trainings, floor)] if trainings else []),
        ending_table(found, floor, is_quoted=not trainings),
        *([see(parting(trainings))] if trainings else []),
        reason(),
        decayed_table(found, floor, is_quoted=not trainings),
        see(one_ending(found, floor)),
    )


def trained(trials: Trials) -> tuple[NotebookTraining, ...]:
    """The trainings, run now; none where PyTorch is not installed."""
    if not has_torch():
        return ()
    return tuple(train_as_the_notebook(n, on_epoch=trials.on_notebook) for n in THREADS)


def ending_of(training: NotebookTraining) -> Ending:
    """What the tables show of a training."""
    return Ending(
        threads=training.threads,
        off_by=training.off_by,
        loss=training.loss,
        likes=training.texts[OPEN].removeprefix(OPEN).strip(),
        helps=training.texts[CLOSED].removeprefix(CLOSED).strip(),
        decayed=training.decayed_loss,
    )


def question() -> Prose:
    """What is done, and what one would expect."""
    return prose(
        f"""
        Does a seed decide how a training ends? Fresh weights and batches follow from it, but not
        the last bit of a sum: that depends on the order in which numbers are added, and several
        **threads** that share the work add them in another order. So take the notebook's training
        in PyTorch itself, with its own seed, 42, and change nothing but the number of threads, to
        {listed(str(n) for n in THREADS)}.
        """
    )


def last_epochs(trainings: tuple[NotebookTraining, ...], floor: float) -> Curve:
    """The end of each training, which the notebook no longer prints."""
    return Curve(
        f"The last {LAST_EPOCHS} epochs of the same training",
        tuple(
            Series(
                count(each.threads, "thread"),
                np.array([epoch.loss for epoch in each.history[-LAST_EPOCHS:]]),
                np.array([epoch.number for epoch in each.history[-LAST_EPOCHS:]]),
            )
            for each in trainings
        ),
        x_label="epoch",
        y_label="loss per pair (nats)",
        levels=(Level("floor", floor),),
    )


def ending_table(found: tuple[Ending, ...], floor: float, *, is_quoted: bool) -> Table:
    """How near to the printed losses each came, and where it ended."""
    return Table(
        "The notebook's recipe: 500 epochs at a rate that stays the same",
        ("threads", "ten losses off by", "at the end", "above floor", OPEN, CLOSED),
        tuple(
            (
                each.threads,
                f"{each.off_by:.5f}",
                f"{each.loss:.4f}",
                f"{each.loss - floor:.4f}",
                each.likes,
                each.helps,
            )
            for each in found
        ),
        align=("right", "right", "right", "right", "left", "left"),
        note=quotation(is_quoted),
    )


def quotation(is_quoted: bool) -> str | None:
    """That numbers are quoted, where they are."""
    if not is_quoted:
        return None
    return (
        "Quoted, not computed now: PyTorch is not installed here. Measured with torch 2.13.0; "
        "`pip install 'pellucid[torch]'`, and they are found anew."
    )


def parting(trainings: tuple[NotebookTraining, ...]) -> str:
    """When the trainings came apart, and what that did to the figures that are printed."""
    losses = np.array([[epoch.loss for epoch in each.history] for each in trainings])
    apart = np.flatnonzero(np.ptp(losses, axis=0) > APART)
    most = max(each.off_by for each in trainings)
    when = (
        f"In epoch {apart[0] + 1} they are more than {APART} nats apart for the first time"
        if len(apart)
        else f"They never are more than {APART} nats apart"
    )
    return f"""
        {when}. The ten losses that the notebook prints, the last of epoch 450, all of them meet
        within {most:.5f}; how its story ends, these losses do not say.
        """


def reason() -> Prose:
    """Why rounding grows, and what the notebook's later figures are worth."""
    return prose(
        f"""
        Why so far apart? At a rate that never falls a training does not settle: its batches of 16
        pull it to and fro, and now and then a step throws it far off. Where it comes down hangs on
        the last digits. And what the sentences leave open is then decided by chance: they know
        three ends for {quoted(OPEN)}, each as likely as the others. So the figures that the
        notebook reads off its finished model, "am" looking at "i" with 86.5%, 93.99% for the end,
        {quoted(OPEN + " leaf")}, are one ending among many. Now the same fresh weights, by the
        default recipe, whose rate falls to 0:
        """
    )


def decayed_table(found: tuple[Ending, ...], floor: float, *, is_quoted: bool) -> Table:
    """Where the default recipe ended with each number of threads."""
    return Table(
        "The default recipe: all pairs at once, at a rate that falls to 0",
        ("threads", "at the end", "above floor"),
        tuple(
            (each.threads, f"{each.decayed:.4f}", f"{each.decayed - floor:.4f}") for each in found
        ),
        align=("right", "right", "right"),
        note=quotation(is_quoted),
    )


def one_ending(found: tuple[Ending, ...], floor: float) -> str:
    """How far apart the endings of either recipe are."""
    losses, decayed = ([getattr(each, name) for each in found] for name in ("loss", "decayed"))
    spread, small = max(losses) - min(losses), max(decayed) - min(decayed)
    if small > SAME:
        return f"Its endings are {small:.4f} nats apart, the notebook's {spread:.4f}."
    return f"""
        The notebook's endings are {spread:.4f} nats apart. These are all the same to within
        {max(small, 0.0001):.4f}, {max(decayed) - floor:.4f} above the floor at most: as the steps
        become smaller, they settle, and rounding has nothing left to decide.
        """
