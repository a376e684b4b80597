"""Part 5: the rest of the block. The first residual, the norm, the feed-forward network."""

from __future__ import annotations

import numpy as np

from pellucid.tour.lesson import BLOCK, Lesson, inside
from pellucid.tour.norms import normalised
from pellucid.tour.phrases import cell, count, number, percent, prose, see, shape
from pellucid.tour.sums import addition
from pellucid.views.catalogue.feed_forward import network
from pellucid.views.scene import Block, Heading, Matrix, Table

SMOOTHLY = "leaves a large number nearly as it is and makes a very negative one nearly 0"
BENDS = {
    "relu": ("ReLU", "leaves a positive number as it is and makes a negative one 0"),
    "relu_squared": ("squared ReLU", "squares a positive number and makes a negative one 0"),
    "gelu": ("GELU", SMOOTHLY),
    "gelu_tanh": ("GELU", SMOOTHLY),
    "gelu_quick": ("GELU", SMOOTHLY),
    "silu": ("SiLU", SMOOTHLY),
}
NORMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "pre": ((), ("norm2",)),
    "post": ((), ("norm1",)),
    "sandwich": (("norm1_post",), ("norm2",)),
    "output": (("norm1_post",), ()),
}
"""Those before the first residual, and those after it."""


def block(lesson: Lesson) -> tuple[Block, ...]:
    """From the output of attention to that of the feed-forward network."""
    config = lesson.model.config
    before, after = NORMS[config.norm_position]
    if config.shared_norm or (not config.mlp and config.norm_position != "post"):
        after = ()
    return (
        *(each for name in before for each in normalised(lesson, name)),
        *first_residual(lesson),
        *(each for name in after for each in normalised(lesson, name)),
        *(feed_forward(lesson) if config.mlp else only_attends()),
    )


def only_attends() -> tuple[Block, ...]:
    """That there is no feed-forward network."""
    return (
        prose(
            """
            In most models a **feed-forward network** follows, which works on each row by itself.
            This model has none: its blocks only attend, and the rows above are what one hands on.
            """
        ),
    )


def first_residual(lesson: Lesson) -> tuple[Block, ...]:
    """Attention added to what was there."""
    name = inside("resid_mid")
    inputs = lesson.trace.graph.node(name).inputs
    size, change = (float(np.linalg.norm(lesson.trace[part].values[-1])) for part in inputs)
    return (
        Heading("The first residual", 2),
        prose(
            """
            Does a token forget what it was when it takes from others? No. What attention gathered
            is added to the row that was there; the sum is R₁. Such an addition is a **residual
            connection**, and the rows that pass from one addition to the next are called the
            **stream**.
            """
        ),
        *addition(lesson, name),
        see(
            f"""
            To the vector of {lesson.token(-1)}, {number(size)} long, attention added one that is
            {number(change)} long.
            """
        ),
    )


def feed_forward(lesson: Lesson) -> tuple[Block, ...]:
    """The network of two tables, and what becomes of each row in it."""
    return (
        Heading("The feed-forward network", 2),
        prose(
            """
            What does a token make of what it gathered? Each row, by itself, passes through a small
            network of two learned tables. The first widens it, so that there is room to look for
            many combinations at once. An activation bends it. The second narrows it again. The
            tables are the same for every token.
            """
        ),
        shapes(lesson),
        *connections(lesson),
        Heading("Widened", 3),
        Matrix.of(lesson.inside("mlp.pre")),
        *(gated(lesson) if lesson.model.config.gated_mlp else activated(lesson)),
        *narrowed(lesson),
        *drawing(lesson),
    )


def shapes(lesson: Lesson) -> Table:
    """What comes into the network, and what each of its steps makes of it."""
    entering = lesson.trace[lesson.trace.graph.node(inside("mlp.pre")).inputs[0]]
    steps = {
        "what comes in": entering,
        "widened": lesson.inside("mlp.pre"),
        ("gated" if lesson.model.config.gated_mlp else "activated"): lesson.inside("mlp.post"),
        "narrowed again": lesson.inside("mlp.out"),
    }
    return Table(
        title=None,
        columns=("step", "array", "shape"),
        rows=tuple((step, tensor.name, shape(tensor.shape)) for step, tensor in steps.items()),
    )


def connections(lesson: Lesson) -> tuple[Block, ...]:
    """The two tables, and how many lines a drawing of the network has."""
    w_in, w_out = lesson.inside("mlp.w_in"), lesson.inside("mlp.w_out")
    return (
        prose(
            f"""
            A drawing of this network has {count(w_in.shape[0], "unit")} at the left,
            {w_in.shape[1]} in the middle, {w_out.shape[1]} at the right, and a line for each cell
            of these two tables: {w_in.values.size:,} + {w_out.values.size:,} =
            {w_in.values.size + w_out.values.size:,} lines. The number in a cell is the strength of
            its line.
            """
        ),
        Matrix.of(w_in),
        Matrix.of(w_out),
    )


def gated(lesson: Lesson) -> tuple[Block, ...]:
    """The gate, what the activation leaves of it, and what it lets through."""
    name, rule = BENDS[lesson.model.config.activation]
    gate, opened = lesson.inside("mlp.gate").values[-1], lesson.inside("mlp.opened")
    post = lesson.inside("mlp.post")
    strongest = int(np.abs(post.values[-1]).argmax())
    factors = (cell(each, -1, strongest) for each in (opened, lesson.inside("mlp.pre")))
    return (
        Heading(f"A gate, activated by {name}", 3),
        prose(
            f"""
            A third table, {shape(lesson.inside("mlp.w_gate").shape)}, reads the same rows and makes
            a **gate** for each of the widened numbers. {name} {rule}; what is left of the gate
            multiplies the number beside it. Without this bend and this product the tables could be
            multiplied into one.
            """
        ),
        Matrix.of(opened),
        Matrix.of(post),
        see(
            f"""
            For {lesson.token(-1)} {count(int((gate < 0).sum()), "gate")} of {len(gate)}
            {"was" if int((gate < 0).sum()) == 1 else "were"} negative before {name}. The largest
            number that comes through stands in column {strongest}: {" × ".join(factors)} =
            {cell(post, -1, strongest)}.
            """
        ),
    )


def activated(lesson: Lesson) -> tuple[Block, ...]:
    """What the activation left of the widened rows."""
    name, rule = BENDS[lesson.model.config.activation]
    pre, post = lesson.inside("mlp.pre").values, lesson.inside("mlp.post")
    below, row = int((pre < 0).sum()), post.values[-1]
    return (
        Heading(f"Activated by {name}", 3),
        prose(f"{name} {rule}. Without this bend the two tables could be multiplied into one."),
        Matrix.of(post),
        see(
            f"""
            Of {pre.size:,} numbers {below:,} were negative, {percent(below / pre.size)}. For
            {lesson.token(-1)} {int((row > 0).sum())} of {len(row)} are above 0; the largest,
            {cell(post, -1, int(row.argmax()))}, stands in column {int(row.argmax())}.
            """
        ),
    )


def drawing(lesson: Lesson) -> tuple[Block, ...]:
    """The network as it works on the last token: every unit's number, the weights as lines."""
    middle = lesson.inside("mlp.post").values[-1]
    on = int(np.count_nonzero(middle))
    return (
        Heading("The network at work", 3),
        prose(
            f"""
            All of it at once for {lesson.token(-1)}: a box with its number for each unit, a line
            for a weight.
            """
        ),
        *network(lesson.trace, block=BLOCK, position=-1),
        see(
            f"""
            Of {count(len(middle), "unit")} in the middle {on} {"is" if on == 1 else "are"} not 0.
            Each hands its number on, times the weight of the line, to every unit at the right,
            which adds up what arrives. A unit that is 0 has nothing to hand on.
            """
        ),
    )


def narrowed(lesson: Lesson) -> tuple[Block, ...]:
    """What is handed back to the stream."""
    out = lesson.inside("mlp.out")
    return (
        Heading("Narrowed again", 3),
        Matrix.of(out),
        see(
            f"""
            The shape is {shape(out.shape)} again, that of the stream, so the two can be added. No
            token has looked at another here: only attention moves anything from place to place.
            """
        ),
    )
