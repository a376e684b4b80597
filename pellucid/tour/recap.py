"""The whole way once more, in a few sentences."""

from __future__ import annotations

from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import count, prose, quoted, share_of_all
from pellucid.views.scene import Block, Heading


def recap(lesson: Lesson) -> tuple[Block, ...]:
    """From the prompt to the next token, with the sizes and the answer of this tour."""
    config, trace = lesson.model.config, lesson.trace
    shares = trace["probs"].values[-1]
    best = int(shares.argmax())
    return (
        Heading("In one breath", 2),
        prose(
            f"""
            {quoted(lesson.prompt)} became {count(len(trace.ids), "id")}, the ids became rows of
            {config.n_embd} numbers. In {count(config.n_layer, "block")} the rows looked at each
            other, never ahead, and each made something of what it gathered. The head turned the
            last row into {count(config.vocab_size, "logit")}, softmax turned these into
            probabilities, and {quoted(lesson.model.labels([best])[0])} got
            {share_of_all(shares[best])}. All of it follows from
            {count(lesson.model.n_parameters, "number")}. Larger models do the same with more of
            everything.
            """
        ),
    )
