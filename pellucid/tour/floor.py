"""What the corpus leaves open: the lowest loss there can be, and the answers that reach it."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, fsum, log

import numpy as np

from pellucid.generation.sampling import Sampling
from pellucid.ops.operation import Array
from pellucid.text.statistics import Context
from pellucid.tour.corpus import Corpus
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import count, listed, nats, percent, prose, quoted, see, share_of_all
from pellucid.views.scene import Block, Heading, Prose, Table

SHOWN_CONTEXTS = 12


def floor(lesson: Lesson) -> tuple[Block, ...]:
    """Where the floor comes from, and the distributions behind it beside the model's own."""
    corpus = lesson.corpus
    if corpus is None:
        return ()
    return *where_it_comes_from(corpus), *distributions(lesson, corpus)


def where_it_comes_from(corpus: Corpus) -> tuple[Block, ...]:
    """The conditional entropy of the corpus as the sum over its undecided contexts."""
    heading = Heading("The floor under the loss", 2)
    if not corpus.undecided:
        return (
            heading,
            prose(
                """
                How low can the loss go? In this corpus every context has only one continuation, so
                a model can be certain everywhere: the floor is 0.
                """
            ),
        )
    shown, rest = split(corpus.undecided)
    return (
        heading,
        prose(
            f"""
            How low can the loss go? Not to 0, for no model can know what the corpus leaves open.
            After {count(len(corpus.undecided), "context")} of {len(corpus.distributions)} there is
            more than one continuation. The best a model can do there is to give each its share, and
            it still pays the **entropy**: the mean of −ln of the shares. Counted as often as they
            occur, these entropies make the floor.
            """
        ),
        Table(
            None,
            ("after", "occurs", "goes on with", "entropy", "part of the floor"),
            (
                *(floor_row(corpus, context) for context in shown),
                *(
                    [
                        (
                            f"{len(rest)} more",
                            sum(corpus.occurrences[context] for context in rest),
                            "",
                            None,
                            fsum(part_of_floor(corpus, context) for context in rest),
                        )
                    ]
                    if rest
                    else []
                ),
                ("together", len(corpus.pairs), "", None, corpus.floor),
            ),
            align=("left", "right", "left", "decimal", "decimal"),
            note="Entropies in nats. The contexts with one continuation have none.",
        ),
        see(
            f"""
            The parts add up to {nats(corpus.floor)}. Most of it comes from
            {quoted(corpus.read(costliest(corpus)))}, which is asked
            {count(corpus.occurrences[costliest(corpus)], "time")}.
            """
        ),
    )


def split(contexts: tuple[Context, ...]) -> tuple[tuple[Context, ...], tuple[Context, ...]]:
    """The contexts that are shown, and those that are not."""
    return contexts[:SHOWN_CONTEXTS], contexts[SHOWN_CONTEXTS:]


def entropy(corpus: Corpus, context: Context) -> float:
    """−Σ p ln p over what follows a context, in nats."""
    return -fsum(p * log(p) for p in corpus.distributions[context].values())


def part_of_floor(corpus: Corpus, context: Context) -> float:
    """What a context adds to the floor: its entropy, as often as it occurs."""
    return corpus.occurrences[context] / len(corpus.pairs) * entropy(corpus, context)


def costliest(corpus: Corpus) -> Context:
    """The context that adds most to the floor."""
    return max(corpus.undecided, key=lambda context: part_of_floor(corpus, context))


def floor_row(corpus: Corpus, context: Context) -> tuple[str, int, str, float, float]:
    """One context: how often it occurs, how open it is, what it costs."""
    return (
        corpus.read(context),
        corpus.occurrences[context],
        count(len(corpus.distributions[context]), "token"),
        entropy(corpus, context),
        part_of_floor(corpus, context),
    )


def distributions(lesson: Lesson, corpus: Corpus) -> tuple[Block, ...]:
    """For every undecided context, what the corpus says beside what the model says."""
    if not corpus.undecided:
        return ()
    shown, rest = split(corpus.undecided)
    rows = [row for context in shown for row in compared(lesson, corpus, context)]
    return (
        Heading("What it should say, and what it says", 2),
        prose(
            """
            Did the model find these shares? No target ever said "one third": each is a single
            token, and pulls towards itself alone. But where every continuation has just its share,
            all these pulls are in balance.
            """
        ),
        Table(
            None,
            ("after", "next", "in the corpus", "should be", "model says"),
            tuple(rows),
            align=("left", "left", "right", "right", "right"),
        ),
        *([Prose(f"{count(len(rest), 'more context')} left out.")] if rest else []),
        see(best_known(lesson, corpus)),
    )


def compared(lesson: Lesson, corpus: Corpus, context: Context) -> list[tuple[str, ...]]:
    """A row for each continuation; the context is named in the first."""
    says = model_says(lesson, context)
    return [
        (
            corpus.read(context) if place == 0 else "",
            corpus.label(id),
            str(Fraction(share).limit_denominator(corpus.occurrences[context])),
            percent(share),
            percent(says[id]),
        )
        for place, (id, share) in enumerate(corpus.distributions[context].items())
    ]


def model_says(lesson: Lesson, context: Context) -> Array:
    """The model's probability of every token after a context, `[vocab]`."""
    return Sampling(temperature=1.0).filter(lesson.model.next_logits(context)).probabilities


def best_known(lesson: Lesson, corpus: Corpus) -> str:
    """The longest undecided context in words, and the largest error of all that are shown."""
    context = corpus.undecided[-1]
    says = model_says(lesson, context)
    answers = listed(
        f"{share_of_all(says[id])} for {quoted(corpus.label(id))}"
        for id in corpus.distributions[context]
    )
    worst = max(
        float(
            np.abs([model_says(lesson, context)[id] - share for id, share in wanted.items()]).max()
        )
        for context, wanted in corpus.distributions.items()
        if context in split(corpus.undecided)[0]
    )
    return f"""
        After {quoted(corpus.read(context))} the model says {answers}. In the whole table no share
        is off by more than {ceil(1000 * worst) / 10:.1f}%.
        """
