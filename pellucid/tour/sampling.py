"""Closing note: taking the likeliest token is only one way to choose. The others, run."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.generation.sampling import Sampling, pick
from pellucid.ops.operation import Array
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import count, percent, prose, quoted, see, share_of_all, typed
from pellucid.views.catalogue.generation import ladder
from pellucid.views.scene import Align, Bars, Block, Heading, Row, Table

WAYS: dict[str, Sampling] = {
    "greedy": Sampling(),
    "temp. 0.5": Sampling(temperature=0.5),
    "temp. 1": Sampling(temperature=1.0),
    "temp. 2": Sampling(temperature=2.0),
    "top-k 2": Sampling(temperature=1.0, top_k=2),
    "top-p 0.9": Sampling(temperature=1.0, top_p=0.9),
}
STRICT: dict[str, Any] = {"temperature": 1.5, "top_k": 5, "top_p": 0.9, "seed": 0}
"""Filters that all have something to do."""
RIGHT: Align = "right"
SHOWN_TOKENS = 6
DRAWS = 1000
TEXTS = 6


def sampling(lesson: Lesson) -> tuple[Block, ...]:
    """The ways of choosing, single tokens drawn, and whole texts."""
    return (
        Heading("Greedy or drawn by lot", 2),
        *ways_to_choose(lesson),
        *rungs(lesson),
        *draws(lesson),
        *drawn_texts(lesson),
    )


def ways_to_choose(lesson: Lesson) -> tuple[Block, ...]:
    """The same logits under each way of choosing."""
    scores = lesson.model.next_logits(open_question(lesson))
    filtered = {name: way.filter(scores).probabilities for name, way in WAYS.items()}
    ids = np.argsort(-scores, kind="stable")[:SHOWN_TOKENS].tolist()
    kept = {name: int((shares > 0).sum()) for name, shares in filtered.items()}
    asked = typed(lesson.tokenizer.decode(open_question(lesson)), question(lesson))
    return (
        prose(
            f"""
            Must a model always say the same? Greedy choice must. To vary, draw the next token by
            lot, each token with its probability. A **temperature** divides the logits first: below
            1 the likely become likelier, above 1 the unlikely get their chance. **Top-k** keeps
            only the k likeliest, **top-p** the fewest that together hold the share p. Here is what
            each makes of the logits after {asked}.
            """
        ),
        Table(
            "Probability of being chosen",
            ("token", *WAYS),
            tuple(
                (label, *(percent(shares[i]) for shares in filtered.values()))
                for label, i in zip(lesson.model.labels(ids), ids, strict=True)
            ),
            align=("left", *(RIGHT for _ in WAYS)),
        ),
        see(
            f"""
            Of {count(len(scores), "token")} greedy choice leaves {kept["greedy"]}, top-k 2 leaves
            {kept["top-k 2"]} and top-p 0.9 leaves {kept["top-p 0.9"]}. A temperature takes none
            away.
            """
        ),
    )


def rungs(lesson: Lesson) -> tuple[Block, ...]:
    """One choice by lot, from the logits down through every filter."""
    (step,) = lesson.model.generate(ids=open_question(lesson), max_new_tokens=1, **STRICT)
    shares = step.filtered.probabilities
    return (
        prose(
            """
            Several at once work one after the other, each on what the one before it left. From the
            logits down, rung by rung:
            """
        ),
        *ladder([step], top=SHOWN_TOKENS),
        see(
            f"""
            What a filter leaves shares out the probability of what it took. In the end
            {count(int((shares > 0).sum()), "token is", "tokens are")} left, and
            {quoted(step.token)} was drawn, with a probability of {share_of_all(shares[step.id])}.
            """
        ),
    )


def draws(lesson: Lesson) -> tuple[Block, ...]:
    """How often each token comes up when it is drawn by lot."""
    shares = WAYS["temp. 1"].filter(lesson.model.next_logits(open_question(lesson))).probabilities
    drawn = pick(shares, np.random.default_rng(0).random(DRAWS))
    counts = np.bincount(drawn, minlength=len(shares))
    ids = np.argsort(-shares, kind="stable")[:SHOWN_TOKENS].tolist()
    labels, highest = lesson.model.labels(ids), float(max(counts.max(), DRAWS * shares.max()))

    def bars(title: str, heights: Array) -> Bars:
        items = tuple((label, heights[id]) for label, id in zip(labels, ids, strict=True))
        return Bars(title, items, limit=highest)

    return (
        Row(
            (
                bars(f"{DRAWS} draws at temperature 1", counts),
                bars(f"{DRAWS} times the probability", np.round(DRAWS * shares, 1)),
            )
        ),
        see(
            f"""
            {quoted(labels[0])} came up {count(int(counts[ids[0]]), "time")};
            {DRAWS * shares[ids[0]]:.0f} were to be expected.
            """
        ),
    )


def open_question(lesson: Lesson) -> tuple[int, ...]:
    """The longest context after which the corpus leaves a choice; without one, the prompt."""
    undecided = lesson.corpus.undecided if lesson.corpus else ()
    return undecided[-1] if undecided else lesson.prompt_ids


def question(lesson: Lesson) -> str:
    """That context in words."""
    return " ".join(lesson.model.labels(open_question(lesson)))


def drawn_texts(lesson: Lesson) -> tuple[Block, ...]:
    """Whole texts drawn by lot, and whether they stand in the corpus."""
    corpus = lesson.corpus
    if corpus is None or lesson.tokenizer.start_id is None:
        return ()
    texts = [
        lesson.model.generate_text(
            "", temperature=1.0, seed=seed, max_new_tokens=lesson.model.config.block_size
        )
        for seed in range(TEXTS)
    ]
    known = {" ".join(sentence.split()) for sentence in corpus.sentences}
    return (
        prose(f"A whole text drawn by lot, from its first word on, {TEXTS} times:"),
        Table(
            None,
            ("seed", "text", "in the corpus"),
            tuple(
                (seed, text, "yes" if text in known else "no") for seed, text in enumerate(texts)
            ),
        ),
        see(
            f"""
            {sum(text in known for text in texts)} of {TEXTS} stand in the corpus word for word.
            The same seed gives the same text again.
            """
        ),
    )
