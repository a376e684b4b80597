"""What the model is made of: its steps in order, and its parameters counted by name."""

from __future__ import annotations

from dataclasses import replace

from pellucid.decoder.costs import costs
from pellucid.tour.lesson import BLOCK, Lesson, inside
from pellucid.tour.phrases import count, listed, percent, prose, quoted, see, shape
from pellucid.views.costs import parameter_table
from pellucid.views.scene import Block, GraphDiagram, Heading, Table


def anatomy(lesson: Lesson) -> tuple[Block, ...]:
    """The whole of it as a diagram, the steps and the parameters."""
    return *overview(lesson), *steps(lesson), *parameters(lesson)


def overview(lesson: Lesson) -> tuple[Block, ...]:
    """The parts of the model, and how what they compute flows from one to the next."""
    trace = lesson.trace
    return (
        Heading("The model at a glance", 2),
        prose(
            """
            What is this model? A **stream** of vectors, one for each token, that runs from the
            embeddings to the probabilities. On the way, attention, where tokens look at each other,
            and a small network, which works at each token alone, read what is in the stream; what
            they make of it comes back and is added.
            """
        ),
        GraphDiagram(None, trace.graph, tokens=trace.tokens),
        see(
            f"""
            The parts that follow open these boxes in the order in which they work, for
            {quoted(lesson.prompt) if lesson.prompt else "an empty prompt"}. Beside each stands the
            name of the array that comes out of it, and how large that is.
            """
        ),
    )


def steps(lesson: Lesson) -> tuple[Block, ...]:
    """Every step from ids to probabilities, with what it computes and the shape of it."""
    trace = lesson.trace
    nodes = [
        node
        for node in trace.graph.nodes
        # Keys and values so far are the keys and values themselves, as long as nothing is cached.
        if node.name in trace.names and is_looked_into(node.name) and node.op.kind != "remember"
    ]
    return (
        Heading("The model, step by step", 2),
        prose(
            f"""
            What happens between ids and probabilities? {count(len(nodes), "step")}, each a few
            multiplications and additions, in this order. The names are those of the arrays that
            the steps leave behind; the next parts open them one after the other.
            {more_blocks(lesson)}
            """
        ),
        prose(signs(lesson)),
        Table(
            None,
            ("array", "computed as", "shape"),
            tuple(
                (node.name, node.equation.partition(" = ")[2], shape(trace[node.name].shape))
                for node in nodes
            ),
        ),
        see(
            f"""
            Every array has {count(len(trace.tokens), "row")}, one for each token of the prompt. A
            token's row stays its own all the way from its id to its probabilities.
            """
        ),
    )


def signs(lesson: Lesson) -> str:
    """How the column of what is computed is to be read."""
    kept = any(node.op.kind == "remember" for node in lesson.trace.graph.nodes)
    return f"""
        Between two tables · multiplies rows by columns and adds up; ᵀ turns a table's rows into
        columns. {"`keys` and `values` are the `k` and `v` of all tokens so far." if kept else ""}
        `mean` is a row's mean, and `rstd` 1 divided by its standard deviation.
        """


def is_looked_into(name: str) -> bool:
    """Whether a tensor is outside the blocks, or in the one that is looked into."""
    return not name.startswith("blocks.") or name.startswith(inside(""))


def more_blocks(lesson: Lesson) -> str:
    """That there are other blocks, where there are."""
    n_layer = lesson.model.config.n_layer
    if n_layer == BLOCK + 1:
        return ""
    return f"Shown is block {BLOCK} of {n_layer}; the others are built alike."


def parameters(lesson: Lesson) -> tuple[Block, ...]:
    """Every table that is learned, its shape and its size."""
    model = lesson.model
    return (
        Heading("The parameters", 2),
        prose(
            """
            What can be learned? Only the numbers in these tables, the **parameters**. Everything
            else follows from them and from the prompt. They are named after the step that uses
            them: `w` is a table of weights, `b` a bias that is added, gamma and beta belong to a
            norm. Each direction of a table is a **dim**, named after what is counted along it:
            """
        ),
        legend(lesson),
        replace(parameter_table(costs(model.config)), title=None),
        see(
            f"""
            {count(model.n_parameters, "number")} in all. {largest_tables(lesson)}
            """
        ),
    )


def largest_tables(lesson: Lesson) -> str:
    """Which table has the most numbers; or which do, and share the first place."""
    specs = lesson.model.specs.values()
    most = max(spec.size for spec in specs)
    names = [quoted(spec.name) for spec in specs if spec.size == most]
    share = percent(most / lesson.model.n_parameters)
    if len(names) == 1:
        return f"{names[0]} has the most, {most:,}, which is {share} of them."
    which = listed(names) if len(names) == 2 else f"{names[0]} and {len(names) - 1} others"
    return f"{which} have the most, {most:,} each, which is {share} of them."


def legend(lesson: Lesson) -> Table:
    """The dims that parameters have, how large they are, and what is counted along each."""
    config, sizes = lesson.model.config, lesson.trace.graph.sizes
    heads = count(config.n_head, "head")
    kv_heads = count(config.n_kv_head, "head")
    each = (
        ("head", sizes["head"], "the heads of queries"),
        ("kv_head", sizes["kv_head"], "the heads of keys and values"),
    )
    network = (("d_mlp", sizes["d_mlp"], "the numbers within the feed-forward network"),)
    return Table(
        None,
        ("dim", "size", "what is counted along it"),
        (
            ("vocab", sizes["vocab"], "the tokens of the vocabulary"),
            ("position", sizes["position"], "the places of a text, from 0 to the longest"),
            ("d_model", sizes["d_model"], "the numbers of a token's row: the model's width"),
            *(each if config.query_key_norm == "head_each" else ()),
            ("d_head", sizes["d_head"], "the numbers of a query in one head"),
            ("d_attn", sizes["d_attn"], f"those of all queries: d_head times {heads}"),
            ("d_kv", sizes["d_kv"], f"those of all keys, or values: d_head times {kv_heads}"),
            *(network if config.mlp else ()),
        ),
    )
