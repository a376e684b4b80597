"""Part 4: tokens look at each other. Queries, keys and values; scores, mask, pattern, mixture."""

from __future__ import annotations

from math import e

import numpy as np

from pellucid.decoder.attention import window as window_of
from pellucid.decoder.config import ModelConfig
from pellucid.ops.operation import Array
from pellucid.tour.comparing import bent, placed
from pellucid.tour.equivalence import equivalence
from pellucid.tour.flow import flow
from pellucid.tour.lesson import BLOCK, HEAD, Lesson
from pellucid.tour.norms import normalised
from pellucid.tour.phrases import (
    cell,
    count,
    listed,
    number,
    prose,
    see,
    shape,
    share_cell,
    share_of_all,
)
from pellucid.views.catalogue import attention as views
from pellucid.views.scene import Bars, Block, Heading, Matrix

SHOWN_PRODUCTS = 16
"""Of the products behind one score, the largest so many are drawn."""
SHOWN_SHARES = 4


def attention(lesson: Lesson) -> tuple[Block, ...]:
    """Attention step by step, in the order in which the model computes it."""
    return (
        *(normalised(lesson, "norm1") if reads_a_norm(lesson.model.config) else ()),
        *queries_keys_values(lesson),
        *placed(lesson),
        *scores(lesson),
        *bent(lesson),
        *mask(lesson),
        *pattern(lesson),
        *mixture(lesson),
        *flow(lesson),
        *equivalence(lesson),
    )


def reads_a_norm(config: ModelConfig) -> bool:
    """Whether each half of a block normalises what it reads."""
    return config.norm_position in ("pre", "sandwich")


def queries_keys_values(lesson: Lesson) -> tuple[Block, ...]:
    """The three tables, and the three matrices that come of them."""
    weights = lesson.inside("attn.w_q")
    return (
        Heading("Queries, keys and values", 2),
        prose(
            """
            How can a word ask about other words? Each row is multiplied by three learned tables,
            which makes three new rows of it. Its **query** says what it looks for. Its **key** says
            what it can be found by. Its **value** is what it hands over when it is looked at.
            """
        ),
        prose(
            f"""
            The table that makes the queries is W_Q, {shape(weights.shape)}; W_K makes the keys and
            W_V the values. {about_heads(lesson)}
            """
        ),
        *views.projection_weights(lesson.trace, head=HEAD),
        *views.queries_keys_values(lesson.trace, head=HEAD),
        see(worked_query(lesson)),
    )


def about_heads(lesson: Lesson) -> str:
    """How many heads there are, and which one is shown."""
    config = lesson.model.config
    if config.n_head == 1:
        return "All of it together is one **head**, and this model has only one."
    return f"""The results are cut into {config.n_head} **heads** of {config.d_head} columns each,
        which look independently of each other. Shown is head {HEAD}."""


def worked_query(lesson: Lesson) -> str:
    """The first number of one query as the sum that it is."""
    place = lesson.look[0]
    flat = lesson.inside("attn.q_flat")
    read = lesson.trace[lesson.trace.graph.node(flat.name).inputs[0]]
    row, weights = read.values[place], lesson.inside("attn.w_q")
    product = number(row[0] * weights.values[0, 0])
    bias = ""
    if lesson.model.config.attention_bias:
        bias = f" and the bias, {cell(lesson.inside('attn.b_q'), 0)},"
    return f"""
        The first number of the query of {lesson.token(place)} is {cell(flat, place, 0)}: its row in
        [{read.name}]({read.name}) times the first column of W_Q. The first of
        {count(len(row), "product")} is {cell(read, place, 0)} × {cell(weights, 0, 0)} =
        {product}; all of them{bias} add up to that number.
        """


def scores(lesson: Lesson) -> tuple[Block, ...]:
    """Every query against every key, and the products behind one score."""
    query, key = lesson.look
    scale = in_words(lesson.model.config)
    score = cell(lesson.inside("attn.scores"), HEAD, query, key)
    return (
        Heading("Scores", 2),
        prose(
            f"""
            How well does a query match a key? Multiply the two, number by number, and add up: the
            sum is large where they point the same way. It is {scale}, for a sum of more products
            would be larger for no other reason. This gives a **score** for every query
            (row) and every key (column).
            """
        ),
        *views.scores(lesson.trace, head=HEAD),
        products_of_score(lesson),
        see(
            f"""
            These are the products behind the score of query {lesson.token(query)} and key
            {lesson.token(key)}. They add up to {number(float(products(lesson).sum()))}; {scale}
            that is {score}, the score in the matrix.
            """
        ),
    )


def in_words(config: ModelConfig) -> str:
    """What becomes of a sum of products before it is a score."""
    if config.attention_scale is None:
        return f"divided by √{config.d_head}"
    return f"multiplied by {config.attention_scale:g}"


def products(lesson: Lesson) -> Array:
    """The products of the query and the key that are spoken of, `[d_head]`."""
    query, key = lesson.look
    asked, _ = lesson.trace.graph.node(lesson.inside("attn.scores").name).inputs
    q, k = lesson.trace[asked].values, lesson.inside("attn.keys").values
    found: Array = q[HEAD, query] * k[HEAD * len(k) // len(q), key]
    return found


def products_of_score(lesson: Lesson) -> Bars:
    """Those products as lengths."""
    query, key = lesson.look
    found, tokens = products(lesson), lesson.trace.tokens
    drawn = np.sort(np.argsort(-np.abs(found), kind="stable")[:SHOWN_PRODUCTS])
    left = len(found) - len(drawn)
    return Bars(
        title=f"Query {tokens[query]} times key {tokens[key]}, number by number",
        items=tuple((f"d_head {i}", float(found[i])) for i in drawn),
        note=f"{count(left, 'smaller product')} not drawn." if left else None,
    )


def mask(lesson: Lesson) -> tuple[Block, ...]:
    """The scores with the future shut out."""
    masked = lesson.inside("attn.masked_scores")
    size = masked.shape[-1]
    window = window_of(lesson.model.config, BLOCK) or size
    shut = size * (size - 1) // 2
    return (
        Heading("The causal mask", 2),
        prose(
            """
            What keeps the model from reading ahead? It is to predict the next token, so it must not
            look at it. The score of every key that stands after its query is set to −∞.
            """
        ),
        *views.masked_scores(lesson.trace, head=HEAD),
        see(
            f"""
            Of {count(size * size, "score")} {count(shut, "stands", "stand")} above the diagonal, −∞
            from now on. The first token sees only itself, the last sees {min(size, window)}.
            Whatever a position computes, it owes nothing to what comes after it.
            """
        ),
        *(
            [
                prose(
                    f"""
                    This block also looks no further back than a **window** of
                    {count(window, "position")}, the query's own among them: what stands before it
                    is −∞ too.
                    """
                )
            ]
            if window < size
            else []
        ),
    )


def pattern(lesson: Lesson) -> tuple[Block, ...]:
    """The scores as shares."""
    return (
        Heading("The pattern", 2),
        prose(
            """
            How is attention shared out? **Softmax** makes shares of each row of scores: it takes e
            to the power of each, which turns −∞ into exactly 0 and all others positive, and divides
            by their sum. Each row then adds up to 1. This is the **pattern**, the matrix A.
            """
        ),
        *views.pattern(lesson.trace, head=HEAD),
        see(
            f"""
            {shares(lesson, lesson.look[0])}. A score that is higher by 1 gets e = {number(e)} times
            the share.
            """
        ),
    )


def shares(lesson: Lesson, query: int) -> str:
    """How one row of the pattern is shared out, the largest shares first."""
    pattern = lesson.inside("attn.pattern")
    row = pattern.values[HEAD, query, : query + 1]
    order = np.argsort(-row, kind="stable")[:SHOWN_SHARES]
    seen = [(key, "itself" if key == query else lesson.token(key)) for key in order.tolist()]
    parts = [f"{share_cell(pattern, HEAD, query, key)} to {token}" for key, token in seen]
    if len(row) > len(order):
        parts.append(
            f"{share_of_all(row.sum() - row[order].sum())} to the other {len(row) - len(order)}"
        )
    return f"{lesson.token(query)} gives {listed(parts)}"


def mixture(lesson: Lesson) -> tuple[Block, ...]:
    """What each token gathers: the values, mixed by the pattern."""
    query, key = lesson.look
    weight = share_cell(lesson.inside("attn.pattern"), HEAD, query, key)
    return (
        Heading("The mixture A · V", 2),
        prose(
            """
            What does a token get from those it looks at? Their values, each multiplied by its
            share, added up.
            """
        ),
        *views.mixture(lesson.trace, head=HEAD),
        see(
            f"""
            The row of {lesson.token(query)} holds {weight} of the value of
            {lesson.token(key)}. The row of {lesson.token(0)} is its own value, unchanged, since it
            sees nothing else.
            """
        ),
        *(projection(lesson) if lesson.model.config.attention_output else ()),
    )


def projection(lesson: Lesson) -> tuple[Block, ...]:
    """The table that brings what the heads gathered back to the model's own dimensions."""
    out = lesson.inside("attn.out")
    return (
        prose(
            f"""
            One more learned table, W_O, {shape(lesson.inside("attn.w_o").shape)}, mixes what the
            heads gathered and brings it back to the {out.shape[-1]} dimensions of the stream.
            """
        ),
        Matrix.of(out),
    )
