"""Part 6: from the last vector to the next token. Second residual, norm, logits, probabilities."""

from __future__ import annotations

import numpy as np

from pellucid.ops.operation import Array
from pellucid.tour.lesson import BLOCK, Lesson, inside
from pellucid.tour.norms import normalised
from pellucid.tour.phrases import count, number, percent, prose, quoted, see, shape
from pellucid.tour.sums import addition
from pellucid.views.catalogue import prediction as views
from pellucid.views.scene import Block, Equation, Heading, Table

TOP = 5
OUTPUT_NORMS = ("sandwich", "output")
"""Placements with a norm of what each half of a block adds."""


def prediction(lesson: Lesson) -> tuple[Block, ...]:
    """From the output of the feed-forward network to a probability for every token."""
    config = lesson.model.config
    return (
        *(second_half(lesson) if config.mlp else ()),
        *further_blocks(config.n_layer),
        *(normalised(lesson, "final_norm") if config.final_norm else ()),
        *logits(lesson),
        *probabilities(lesson),
        *every_position(lesson),
    )


def second_half(lesson: Lesson) -> tuple[Block, ...]:
    """What the feed-forward network adds to the stream, and the norms on its way."""
    placement = lesson.model.config.norm_position
    return (
        *(normalised(lesson, "norm2_post") if placement in OUTPUT_NORMS else ()),
        *second_residual(lesson),
        *(normalised(lesson, "norm2") if placement == "post" else ()),
    )


def second_residual(lesson: Lesson) -> tuple[Block, ...]:
    """The feed-forward network added to what was there."""
    name = inside("resid_post")
    before, added = (lesson.trace[part].values[-1] for part in lesson.trace.graph.node(name).inputs)
    sizes = [number(float(np.linalg.norm(vector))) for vector in (before, added)]
    return (
        Heading("The second residual", 2),
        prose(
            """
            What does the block hand on? What came out of the feed-forward network is added to what
            stood in the stream, as before: R₂.
            """
        ),
        *addition(lesson, name),
        see(
            f"""
            For {lesson.token(-1)} a vector {sizes[1]} long was added to one {sizes[0]} long.
            """
        ),
    )


def further_blocks(n_layer: int) -> tuple[Block, ...]:
    """That there are other blocks, where there are."""
    if n_layer == BLOCK + 1:
        return ()
    return (
        prose(
            f"""
            This model has {n_layer} blocks. The others do the same to what the one before them
            hands on, each with tables of its own. What follows reads what the last one hands on.
            """
        ),
    )


def last_row(lesson: Lesson, name: str) -> Array:
    """Logits or probabilities of what follows the prompt, `[vocab]`."""
    return np.asarray(lesson.trace[name].values[-1], dtype=np.float64)


def top(lesson: Lesson) -> list[int]:
    """The ids of the highest logits after the prompt, best first."""
    order = np.argsort(-last_row(lesson, "logits"), kind="stable")
    return [int(id) for id in order[:TOP]]


def prompt_in_title(lesson: Lesson) -> str:
    """The prompt as a title names it."""
    return f"After “{' '.join(lesson.trace.tokens)}”"


def logits(lesson: Lesson) -> tuple[Block, ...]:
    """The head, and the highest scores after the prompt."""
    tensor, scores, best = lesson.trace["logits"], last_row(lesson, "logits"), top(lesson)
    labels = lesson.model.labels(best)
    return (
        Heading("Logits", 2),
        prose(
            f"""
            How does a vector become a word? One last table, the **head**, has a column for each
            token of the vocabulary. A position's row times a token's column is the token's score
            there, its **logit**. That makes {shape(tensor.shape)} logits. Those of the last row say
            what follows the prompt; here are the {len(best)} highest.
            """
        ),
        Equation(tensor.equation, tensor.latex),
        Table(
            prompt_in_title(lesson),
            ("token", "id", "logit"),
            tuple((label, id, float(scores[id])) for label, id in zip(labels, best, strict=True)),
        ),
        see(
            f"""
            {quoted(labels[0])} leads by {number(scores[best[0]] - scores[best[1]])}. Logits have no
            zero that means anything; only the distances between them count.
            """
        ),
    )


def probabilities(lesson: Lesson) -> tuple[Block, ...]:
    """Softmax over the whole vocabulary, its steps laid open for the best tokens."""
    shares, best = last_row(lesson, "probs"), top(lesson)
    labels = lesson.model.labels(best)
    total = lesson.trace["probs.sum"].values[-1]
    return (
        Heading("Probabilities", 2),
        prose(
            """
            How sure is the model? [Softmax](probs) once more, over the whole vocabulary: e to the
            power of each logit, less the highest so that no power grows too large, divided by
            the sum of them all.
            """
        ),
        Table(
            prompt_in_title(lesson),
            ("token", "logit", "exp(logit − highest)", "probability"),
            softmax_rows(lesson),
            align=("left", "decimal", "decimal", "decimal"),
        ),
        *views.probabilities(lesson.trace, top=TOP),
        see(
            f"""
            The power of {quoted(labels[0])} is 1, and the sum of all is {total:.5f}. So its
            probability is 1 / {total:.5f} = {shares[best[0]]:.5f}.
            """
        ),
    )


def softmax_rows(lesson: Lesson) -> tuple[tuple[str, float | None, str, str], ...]:
    """A row for each of the best tokens, one for all others together, and the sum of all.

    Five decimals, so that the division can be done again by eye.
    """
    scores, shares, best = last_row(lesson, "logits"), last_row(lesson, "probs"), top(lesson)
    powers = np.exp(scores - scores.max())
    rows: list[tuple[str, float | None, str, str]] = [
        (label, float(scores[id]), f"{powers[id]:.5f}", f"{shares[id]:.5f}")
        for label, id in zip(lesson.model.labels(best), best, strict=True)
    ]
    others = np.setdiff1d(np.arange(len(shares)), best)
    if len(others):
        held = f"{powers[others].sum():.5f}", f"{shares[others].sum():.5f}"
        rows.append((f"the other {len(others):,}", None, *held))
    return (*rows, ("together", None, f"{powers.sum():.5f}", f"{shares.sum():.5f}"))


def every_position(lesson: Lesson) -> tuple[Block, ...]:
    """What each row of the logits says: one pass predicts after every token."""
    trace = lesson.trace
    shares = trace["probs"].values
    best = shares.argmax(axis=-1).tolist()
    rows = zip(
        trace.tokens,
        lesson.model.labels(best),
        shares.max(axis=-1),
        (*lesson.model.labels(lesson.followers), None),
        # A prompt that is a whole sentence has a follower for each token, and needs no None.
        strict=False,
    )
    return (
        Heading("Every position predicts", 2),
        prose(
            """
            What do the other rows say? Each is a prediction too: of what follows its own token,
            made from that token and those before it. One pass makes them all.
            """
        ),
        Table(
            None,
            ("after", "likeliest next", "probability", "really next"),
            tuple((token, guess, percent(share), real) for token, guess, share, real in rows),
            align=("left", "left", "right", "left"),
        ),
        see(hits(best, lesson.followers)),
    )


def hits(best: list[int], following: tuple[int, ...]) -> str:
    """How often the likeliest token is the one that follows in the text."""
    if not following:
        return "The prompt is a single token, so there is a single prediction."
    right = sum(guess == real for guess, real in zip(best, following, strict=False))
    return f"""
        In {right} of {count(len(following), "place")} the likeliest token is the one that really
        follows. Where it is not, the corpus may leave a choice, or the model may be wrong;
        part 2 tells which.
        """
