"""Part 3: ids become vectors. The two tables, and the matrix that enters the first block."""

from __future__ import annotations

import numpy as np

from pellucid.ops.operation import Array
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import cell, count, listed, number, prose, quoted, see, shape
from pellucid.tour.sums import addition
from pellucid.tour.trials import Trials
from pellucid.views.catalogue import embeddings as views
from pellucid.views.scene import Block, Heading

MOST_COMPARED = 2000
"""Of a larger vocabulary only the rows of the prompt are compared with all others."""


def embeddings(lesson: Lesson) -> tuple[Block, ...]:
    """The token table, the position table and their sum."""
    return *token_table(lesson), *positions(lesson), *input_matrix(lesson)


def token_table(lesson: Lesson) -> tuple[Block, ...]:
    """A row for each token, and which of them came to be alike."""
    return (
        Heading("The token table", 2),
        prose(
            f"""
            What is a word to a model that can only multiply and add? A row of
            {lesson.model.config.n_embd} numbers, its **embedding**. The table has a row for each
            token. All of it begins at random and is learned together with everything else; no
            column has a meaning that anybody chose.
            """
        ),
        *views.token_table(lesson.trace),
        see(most_alike(lesson)),
        *(unread(lesson.trials) if lesson.trials else ()),
    )


def most_alike(lesson: Lesson) -> str:
    """The two words whose rows point most nearly the same way."""
    rows = lesson.trace["token_embedding"].values
    words = ordinary(lesson)
    asked = words if len(words) <= MOST_COMPARED else sorted({*words} & {*lesson.prompt_ids})
    if len(words) < 2 or not asked:
        return "There are no two words whose rows could be compared."
    directions = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30)
    likeness = directions[asked] @ directions[words].T
    likeness[np.equal.outer(asked, words)] = -np.inf
    row, column = np.unravel_index(likeness.argmax(), likeness.shape)
    alike = asked[row], words[column]
    return f"""
        Words are alike to the model as far as their rows point the same way. Most alike are
        {listed(map(quoted, lesson.model.labels(alike)))}: the cosine of the angle between them is
        {number(likeness.max())}, where 1 is the same direction and 0 a right angle.
        {where_they_stand(lesson, alike)}
        """


def where_they_stand(lesson: Lesson, ids: tuple[int, int]) -> str:
    """A sentence of the corpus for each of these ids."""
    if lesson.corpus is None:
        return ""
    sequences, sentences = lesson.corpus.sequences, lesson.corpus.sentences
    found = (
        next(text for text, sequence in zip(sentences, sequences, strict=True) if id in sequence)
        for id in ids
    )
    return f"They stand in {listed(map(quoted, dict.fromkeys(found)))}."


def ordinary(lesson: Lesson) -> list[int]:
    """The ids that stand for text."""
    tokenizer = lesson.tokenizer
    special = {tokenizer.pad_id, tokenizer.start_id, tokenizer.end_id}
    return [id for id in range(tokenizer.vocab_size) if id not in special]


def unread(trials: Trials) -> tuple[Block, ...]:
    """The rows that training never touched, because no context holds their tokens."""
    after, before = (
        model.parameters["token_embedding"] for model in (trials.run.model, trials.untrained)
    )
    moved = np.linalg.norm(after - before, axis=1)
    farthest = int(moved.argmax())
    read = {id for context in trials.corpus.distributions for id in context}
    never = [id for id in range(len(moved)) if id not in read]
    return (
        prose(
            f"""
            Training moved the row of {quoted(trials.corpus.label(farthest))} farthest, by
            {number(moved[farthest])}. Tokens that the model never reads, only predicts or skips,
            keep the row they began with:
            {listed(f"{quoted(trials.corpus.label(id))} moved by {moved[id]:g}" for id in never)}.
            """
        ),
    )


def positions(lesson: Lesson) -> tuple[Block, ...]:
    """The rows that stand for places, in whichever way this model has them."""
    build = {
        "learned": learned_positions,
        "sinusoidal": fixed_positions,
        "rotary": positions_later,
        "alibi": positions_later,
        "none": no_positions,
    }
    return Heading("The position table", 2), *build[lesson.model.config.position](lesson)


def learned_positions(lesson: Lesson) -> tuple[Block, ...]:
    """The table of rows that were learned."""
    table = lesson.trace["position_embedding"]
    places, used = len(table.values), len(lesson.trace.tokens)
    return (
        prose(
            f"""
            How does the model know which word came first? Attention, the next part, takes its rows
            as a heap and sees no order in them. So each place in the text has a row of its own,
            whatever word stands there. There are {count(places, "place")}, and no more tokens can
            be read at once: this is the model's **context**.
            """
        ),
        *views.position_table(lesson.trace),
        see(
            f"""
            The prompt uses {used if used < places else "all"} of these {places} rows. The token
            at position 0 always gets the first one, which begins with {cell(table, 0, 0)}.
            """
        ),
    )


def fixed_positions(lesson: Lesson) -> tuple[Block, ...]:
    """Rows that were never learned."""
    return (
        prose(
            """
            How does the model know which word came first? Each place in the text has a row of its
            own. In this model nobody learned these rows: they are sines and cosines of the
            position, each pair of columns slower than the one before.
            """
        ),
        *views.position_table(lesson.trace),
    )


def positions_later(lesson: Lesson) -> tuple[Block, ...]:
    """What to say where attention sees to it."""
    return (
        prose(
            """
            This model has none: nothing is added for a token's place in the text. Attention, the
            next part, sees to it by itself, where it compares queries and keys.
            """
        ),
    )


def no_positions(lesson: Lesson) -> tuple[Block, ...]:
    """What to say where there are none."""
    return (
        prose(
            """
            This model has none. Nothing tells it the order of the words but the mask, of which the
            next part speaks.
            """
        ),
    )


def input_matrix(lesson: Lesson) -> tuple[Block, ...]:
    """Token plus position: H₀."""
    heading, entering = Heading("The input matrix H₀", 2), lesson.trace["embed.out"]
    if "embed.out" in lesson.trace.graph.aliases:
        question = f"What enters the first block? The rows of the tokens{changed(lesson)}."
        return heading, prose(question), *views.input_matrix(lesson.trace)
    return (
        heading,
        prose(
            f"""
            What enters the first block? For each token of the prompt its row of the token table
            plus the row of its position, number by number. The sum is **H₀**,
            {shape(entering.shape)}: a row for each token, a column for each of the model's
            dimensions.
            """
        ),
        *addition(lesson, "embed.out"),
        see(word_and_place(lesson)),
    )


def changed(lesson: Lesson) -> str:
    """What becomes of the tokens' rows before the first block reads them."""
    config = lesson.model.config
    scaled = f", each number times {config.embedding_scale:.4g}"
    words = "" if config.embedding_scale == 1 else scaled
    words += ", normalised" if config.embedding_norm else ""
    return words or " as they are"


def word_and_place(lesson: Lesson) -> str:
    """Which of the two addends is the longer vector in the last row."""
    token, position = (
        length(lesson.trace[name].values[-1])
        for name in lesson.trace.graph.node("embed.out").inputs
    )
    return f"""
        In the row of {lesson.token(-1)} the {"word" if token > position else "place"} says more:
        the vector of the word is {number(token)} long, that of the place {number(position)}.
        """


def length(vector: Array) -> float:
    """The length of a vector."""
    return float(np.linalg.norm(vector))
