"""Closing notes on the architecture: the same training with one choice made otherwise."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pellucid.model.model import Model
from pellucid.ops.operation import Array
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import count, listed, number, prose, quoted, see, share_of_all, tiny
from pellucid.tour.trials import SHAPE, Trials
from pellucid.training.run import TrainingRun
from pellucid.views.scene import Block, Heading, Matrix, Row, Table

Runs = Mapping[str, TrainingRun]

ENTERING, HALF_WAY, LEAVING, READ = (
    "entering the block",
    "after attention",
    "leaving the block",
    "read by the head",
)
STREAM = {
    "post": {
        ENTERING: "embed.out",
        HALF_WAY: "blocks.0.norm1",
        LEAVING: "blocks.0.norm2",
        READ: "blocks.0.norm2",
    },
    "pre": {
        ENTERING: "embed.out",
        HALF_WAY: "blocks.0.resid_mid",
        LEAVING: "blocks.0.resid_post",
        READ: "final_norm",
    },
}
"""The tensors of the stream, by where the norms stand."""
LITTLE = 0.005
"""Losses closer than this many nats are called equal."""


def variations(lesson: Lesson) -> tuple[Block, ...]:
    """Heads, norm placement and positions. A given model is not trained, so not varied either."""
    if lesson.trials is None:
        return ()
    return (
        *heads(lesson, lesson.trials),
        *norms(lesson, lesson.trials),
        *positions(lesson, lesson.trials),
    )


def compared(choice: str, runs: Runs) -> Table:
    """A row for each run: its size, its loss on the way, and where it ended."""
    first = next(iter(runs.values()))
    marks = sorted({max(len(first.history) // part, 1) for part in (4, 2)})
    return Table(
        f"Mean loss over the pairs in nats; the floor is {first.floor:.4f}",
        (choice, "parameters", *(f"epoch {mark}" for mark in marks), "finished", "above floor"),
        tuple(
            (
                name,
                run.model.n_parameters,
                *(f"{run.history[mark - 1].loss:.4f}" for mark in marks),
                f"{run.loss:.4f}",
                f"{run.loss - run.floor:.4f}",
            )
            for name, run in runs.items()
        ),
    )


def ending(runs: Runs) -> str:
    """Which run came nearest to the floor, and which stayed farthest from it."""
    best, *_, worst = sorted(runs, key=lambda name: runs[name].loss)
    above = {name: run.loss - run.floor for name, run in runs.items()}
    if above[worst] - above[best] < LITTLE:
        return f"""All {len(runs)} come within {max(above[worst], 0):.4f} of the floor: the loss
            does not tell them apart."""
    return f"""Nearest to the floor comes {quoted(best)}, {above[best]:.4f} above it; farthest away
        stays {quoted(worst)}, {above[worst]:.4f} above it."""


def heads(lesson: Lesson, trials: Trials) -> tuple[Block, ...]:
    """The model with its columns cut among more heads."""
    runs = {
        "1 (as here)": trials.baseline,
        "2": trials.variation(n_head=2),
        "4": trials.variation(n_head=4),
    }
    pattern = runs["2"].model.trace(lesson.prompt)["blocks.0.attn.pattern"]
    return (
        Heading("One head or several", 2),
        prose(
            f"""
            Can a token look for two things at once? With several heads it can. The {SHAPE.n_embd}
            columns of Q, K and V are cut into parts, and each part makes a pattern of its own. Here
            the model is trained again with 2 heads and with 4, for
            {count(trials.baseline.recipe.epochs, "epoch")} each.
            """
        ),
        compared("heads", runs),
        Row(Matrix.each(pattern, title="Pattern of the model with 2 heads")),
        see(f"{sizes(runs)} {ending(runs)} {two_heads(pattern.values, lesson)}"),
    )


def sizes(runs: Runs) -> str:
    """Whether the choice cost parameters."""
    found = {run.model.n_parameters for run in runs.values()}
    return "More heads, and not one parameter more." if len(found) == 1 else ""


def two_heads(pattern: Array, lesson: Lesson) -> str:
    """Where each of the two heads looks most from the last token."""
    favourites = [int(key) for key in pattern[:, -1].argmax(axis=-1)]
    looks = listed(
        f"head {head} looks most at {lesson.token(key)} ({share_of_all(pattern[head, -1, key])})"
        for head, key in enumerate(favourites)
    )
    return f"From {lesson.token(-1)}, {looks}."


def norms(lesson: Lesson, trials: Trials) -> tuple[Block, ...]:
    """The model with its norms in other places."""
    runs = {
        "post (as here)": trials.baseline,
        "pre": trials.variation(norm_position="pre", final_norm=True),
        "pre, no final norm": trials.variation(norm_position="pre", final_norm=False),
    }
    post, pre = (along_the_stream(lesson, runs[name].model) for name in ("post (as here)", "pre"))
    return (
        Heading("Norms after or before", 2),
        prose(
            """
            Where should the norms stand? In this model each stands after an addition, in the stream
            itself (**post-norm**). Most larger models put it before attention and before the
            feed-forward network (**pre-norm**): these read a normalised copy, and the stream is
            only ever added to. Such a model needs one more norm at the very end.
            """
        ),
        compared("norms", runs),
        Table(
            f"Length of the vector of {lesson.trace.tokens[-1]} along the stream",
            ("place", "post (as here)", "pre"),
            tuple((place, post[place], pre[place]) for place in STREAM["post"]),
        ),
        see(
            f"""
            {ending(runs)} In the pre-norm model nothing holds the stream to a size: it leaves the
            block {number(pre[LEAVING])} long, and only the final norm makes that
            {number(pre[READ])} for the head.
            """
        ),
    )


def along_the_stream(lesson: Lesson, model: Model) -> dict[str, float]:
    """How long the last token's vector is at each place of the stream."""
    trace = model.trace(lesson.prompt)
    names = STREAM[model.config.norm_position]
    return {place: float(np.linalg.norm(trace[name].values[-1])) for place, name in names.items()}


def positions(lesson: Lesson, trials: Trials) -> tuple[Block, ...]:
    """The model with other positions, and with none."""
    runs = {
        "learned (as here)": trials.baseline,
        "sinusoidal": trials.variation(position="sinusoidal"),
        "none": trials.variation(position="none"),
    }
    return (
        Heading("Ways to tell positions", 2),
        prose(
            """
            Must positions be learned? The first transformer had fixed rows of sines and cosines
            instead, and one can leave positions out altogether. All three, trained alike:
            """
        ),
        compared("positions", runs),
        see(ending(runs)),
        *swapped(lesson, trials, runs),
    )


def swapped(lesson: Lesson, trials: Trials, runs: Runs) -> tuple[Block, ...]:
    """What becomes of the prediction when the two tokens before the last change places."""
    text = swappable(lesson, trials)
    if text is None:
        return ()
    changed = (*text[:-3], text[-2], text[-3], text[-1])
    labels = lesson.model.labels
    changes = {name: change(run.model, text, changed) for name, run in runs.items()}
    moved = changes["none"]
    return (
        prose(
            f"""
            What does a model notice of the order? Let each predict what follows
            {quoted(" ".join(labels(text)))} and what follows {quoted(" ".join(labels(changed)))},
            and see how far the logits move.
            """
        ),
        Table(
            None,
            ("positions", "largest change of a logit"),
            tuple(
                (name, tiny(moved) if moved < 1e-4 else number(moved))
                for name, moved in changes.items()
            ),
            align=("left", "right"),
        ),
        see(
            f"""
            Without positions the logits move
            {f"by {tiny(moved)}, mere rounding" if moved else "not at all"}. To
            such a model of one block the tokens before the last are a heap: the same shares of the
            same values, added up in another order.
            """
        ),
    )


def swappable(lesson: Lesson, trials: Trials) -> tuple[int, ...] | None:
    """The prompt, or else a context of the corpus, with two different tokens before the last."""
    contexts = sorted(trials.corpus.distributions, key=len, reverse=True)
    for ids in (lesson.prompt_ids, *contexts):
        if len(ids) > 2 and ids[-3] != ids[-2]:
            return tuple(ids)
    return None


def change(model: Model, before: tuple[int, ...], after: tuple[int, ...]) -> float:
    """How far the logits move when one text becomes the other."""
    return float(np.abs(model.next_logits(before) - model.next_logits(after)).max())
