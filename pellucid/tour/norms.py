"""A norm: each token's vector brought to mean 0 and deviation 1, then stretched and shifted."""

from __future__ import annotations

import numpy as np

from pellucid.tour.lesson import Lesson, inside
from pellucid.tour.phrases import number, prose, see
from pellucid.views.scene import Block, Heading, Matrix, Table

QUESTIONS = {
    "norm1": """
        How are the numbers kept in bounds? What is added to again and again would grow. For each
        token by itself, **layer norm** subtracts the mean of its vector and divides by the standard
        deviation.
        """,
    "norm2": """
        What keeps the numbers in bounds here? A second norm, with tables of its own: again each
        token's vector is brought to mean 0 and deviation 1.
        """,
    "final_norm": """
        What does the head get to read? The stream as the blocks left it may have any size, so one
        more norm brings each token's vector to mean 0 and deviation 1.
        """,
}
HEADINGS = {"norm1": "The first norm", "norm2": "The second norm", "final_norm": "The final norm"}


def normalised(lesson: Lesson, name: str) -> tuple[Block, ...]:
    """The norm `norm1`, `norm2` or `final_norm`: what it measured, levelled, and gave on."""
    full = name if name == "final_norm" else inside(name)
    trace = lesson.trace
    return (
        Heading(HEADINGS[name], 2),
        prose(QUESTIONS[name]),
        measured(lesson, full),
        Matrix.of(trace[f"{full}.normalized"]),
        see(levelled(lesson, full)),
        prose(
            f"""
            Then each column is multiplied by a learned gain, gamma{
                ", and a learned shift, beta, is added" if lesson.model.config.norm_bias else ""
            }. With these the model can undo the norm, column by column, where that helps.
            """
        ),
        Matrix.of(trace[full]),
        see(gains(lesson, full)),
    )


def measured(lesson: Lesson, full: str) -> Table:
    """Mean and deviation of each token's vector, before and after."""
    trace = lesson.trace
    means, scales = trace[f"{full}.mean"].values, trace[f"{full}.rstd"].values
    levelled = trace[f"{full}.normalized"].values.astype(np.float64)
    return Table(
        title="Mean and deviation of each token's vector",
        columns=("token", "mean", "deviation", "mean after", "deviation after"),
        rows=tuple(
            # What is left of a mean is rounding; adding 0 makes a −0 a 0.
            (token, float(mean), float(1 / scale), round(row.mean(), 5) + 0.0, float(row.std()))
            for token, mean, scale, row in zip(trace.tokens, means, scales, levelled, strict=True)
        ),
    )


def levelled(lesson: Lesson, full: str) -> str:
    """How unequal the tokens were before."""
    deviations = 1 / lesson.trace[f"{full}.rstd"].values
    low, high = int(deviations.argmin()), int(deviations.argmax())
    if low == high:
        return f"The deviation of {lesson.token(low)} was {number(deviations[low])}; now it is 1."
    return f"""
        Before, the deviation of {lesson.token(high)} was {number(deviations[high])} and that of
        {lesson.token(low)} {number(deviations[low])}. Now every token's is 1, and what is left of a
        vector is its direction.
        """


def gains(lesson: Lesson, full: str) -> str:
    """How far the learned gains are from 1."""
    name = lesson.trace.graph.node(full).parameters[0]
    gamma = lesson.trace[name].values
    if gamma.min() == gamma.max():
        return f"Every gain in [{name}]({name}) is {number(gamma.max())}."
    return f"""
        The gains are in [{name}]({name}): from {number(gamma.min())} for column
        {int(gamma.argmin())} to {number(gamma.max())} for column {int(gamma.argmax())}.
        """
