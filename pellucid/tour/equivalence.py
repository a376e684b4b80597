"""What the causal mask buys: one pass over whole sentences trains like all their padded pairs."""

from __future__ import annotations

import numpy as np

from pellucid.text.batches import whole_sentences
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import count, prose, see, shape, tiny
from pellucid.views.scene import Block, Heading, Table


def equivalence(lesson: Lesson) -> tuple[Block, ...]:
    """Loss and gradients both ways, in float64 so that nothing hides in the rounding."""
    corpus = lesson.corpus
    if corpus is None:
        return ()
    pairs, sentences = corpus.pairs, whole_sentences(corpus.sequences, pad_id=corpus.pad_id)
    model = lesson.model.astype("float64")
    one_by_one = (pairs.contexts, pairs.targets, pairs.lengths)
    losses = model.loss(*one_by_one), model.loss(*sentences)
    slopes = model.gradients(*one_by_one), model.gradients(*sentences)
    apart = max(float(np.abs(slopes[0][name] - slopes[1][name]).max()) for name in slopes[0])
    return (
        Heading("What the mask buys", 2),
        prose(
            f"""
            Why shut the future out, when it is padding anyway? Part 1 cut
            {count(len(corpus.sentences), "sentence")} into {count(len(pairs), "pair")}, because a
            context must not contain its answer. With the mask that is not needed: at every
            position of a whole sentence the model computes just what it would compute at the end of
            a pair, since nothing that follows can reach it. So one pass over the sentences, with a
            target at each position, should give the same loss, and for every parameter the same
            slope of the loss. Both ways, computed:
            """
        ),
        Table(
            None,
            ("trained on", "ids read", "targets", "mean loss (nats)"),
            (
                ("padded pairs", shape(pairs.contexts.shape), len(pairs), f"{losses[0]:.12f}"),
                (
                    "whole sentences",
                    shape(sentences[0].shape),
                    int((sentences[1] >= 0).sum()),
                    f"{losses[1]:.12f}",
                ),
            ),
        ),
        see(
            f"""
            The losses differ by {tiny(abs(losses[0] - losses[1]))}, and none of the
            {count(model.n_parameters, "slope")} by more than {tiny(apart)}: rounding, nothing else.
            Whole sentences are {pairs.contexts.size / sentences[0].size:.1f} times less to read.
            Real models are trained this way.
            """
        ),
    )
