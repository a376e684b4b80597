"""Closing note: many texts in one pass, the dim that this tour left out."""

from __future__ import annotations

import numpy as np

from pellucid.ops.operation import Array
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import count, prose, see, shape, tiny
from pellucid.views.scene import Block, Heading, Table

MOST = 16


def batches(lesson: Lesson) -> tuple[Block, ...]:
    """One pass over a batch of contexts, and the same contexts one at a time."""
    contexts = some_contexts(lesson)
    model = lesson.model
    together = model.logits(contexts)
    alone = np.concatenate([model.logits(context[None]) for context in contexts])
    size = len(contexts)
    return (
        Heading("One text or many", 2),
        prose(
            f"""
            Does a model read one text at a time? In this tour, yes. In training every array has
            one more dim in front, the **batch**: several contexts go through the same tables in one
            pass. Here are {count(size, "context")} of {count(contexts.shape[1], "id")} each, padded
            where they are shorter.
            """
        ),
        Table(
            None,
            ("array", "one text", "a batch"),
            (
                ("ids", shape(contexts.shape[1:]), shape(contexts.shape)),
                ("logits", shape(together.shape[1:]), shape(together.shape)),
            ),
        ),
        see(
            f"""
            {count(together.size, "logit")} in one pass. Computed one text at a time they differ by
            {tiny(float(np.abs(together - alone).max()))} at most: the texts of a batch do not see
            each other.
            """
        ),
    )


def some_contexts(lesson: Lesson) -> Array:
    """Contexts of the corpus, `[batch, position]`; without one, the beginnings of the prompt."""
    if lesson.corpus:
        return lesson.corpus.pairs.contexts[:MOST]
    ids = lesson.prompt_ids
    return np.tril(np.broadcast_to(ids, (len(ids), len(ids))))[:MOST]
