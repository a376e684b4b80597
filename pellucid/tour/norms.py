"""A norm: each token's vector brought to one size, then stretched and perhaps shifted."""

from __future__ import annotations

import numpy as np

from pellucid.tour.lesson import Lesson, inside
from pellucid.tour.phrases import cell, number, prose, see
from pellucid.views.scene import Block, Heading, Matrix, Table

BOUNDS = "How are the numbers kept in bounds? What is added to again and again would grow."
LAYER = {
    "norm1": f"""
        {BOUNDS} For each token by itself, **layer norm** subtracts the mean of its vector and
        divides by the standard deviation.
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
RMS = {
    "norm1": f"""
        {BOUNDS} For each token by itself, **RMS norm** divides its vector by the root of the mean
        of its squares.
        """,
    "norm2": """
        What keeps the numbers in bounds here? A second norm, with a table of its own: again each
        token's vector is divided by its root mean square.
        """,
    "final_norm": """
        What does the head get to read? The stream as the blocks left it may have any size, so one
        more norm divides each token's vector by its root mean square.
        """,
}
OF_OUTPUTS = """
    How much may be added at once? In this model a norm stands at the end of this half of the block
    too, so that what is added to the stream has one size, whatever the numbers behind it.
    """
QUESTIONS = {
    kind: {**words, "norm1_post": OF_OUTPUTS, "norm2_post": OF_OUTPUTS}
    for kind, words in (("layer", LAYER), ("rms", RMS))
}
HEADINGS = {
    "norm1": "The first norm",
    "norm1_post": "The norm of what attention adds",
    "norm2": "The second norm",
    "norm2_post": "The norm of what the network adds",
    "final_norm": "The final norm",
}


def normalised(lesson: Lesson, name: str) -> tuple[Block, ...]:
    """A norm by its name in the block: what it measured, levelled, and gave on."""
    config = lesson.model.config
    full = name if name == "final_norm" else inside(name)
    trace = lesson.trace
    return (
        Heading(HEADINGS[name], 2),
        prose(QUESTIONS[config.norm][name]),
        measured(lesson, full),
        Matrix.of(trace[f"{full}.normalized"]),
        see(levelled(lesson, full)),
        prose(
            f"""
            Then each column is multiplied by a learned gain, {
                "1 + gamma" if config.norm_unit_offset else "gamma"
            }{", and a learned shift, beta, is added" if config.norm_bias else ""}. With {
                "these" if config.norm_bias else "it"
            } the model can undo the norm, column by column, where that helps.
            """
        ),
        Matrix.of(trace[full]),
        see(gains(lesson, full)),
    )


def measured(lesson: Lesson, full: str) -> Table:
    """Mean and deviation of each token's vector, or its root mean square, before and after."""
    trace = lesson.trace
    if lesson.model.config.norm == "rms":
        return root_mean_squares(lesson, full)
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


def root_mean_squares(lesson: Lesson, full: str) -> Table:
    """Root mean square of each token's vector, before and after."""
    trace = lesson.trace
    after = trace[f"{full}.normalized"].values.astype(np.float64)
    return Table(
        title="Root mean square of each token's vector",
        columns=("token", "before", "after"),
        rows=tuple(
            (token, float(1 / scale), float(np.sqrt(np.mean(row * row))))
            for token, scale, row in zip(
                trace.tokens, trace[f"{full}.rrms"].values, after, strict=True
            )
        ),
    )


def levelled(lesson: Lesson, full: str) -> str:
    """How unequal the tokens were before."""
    is_rms = lesson.model.config.norm == "rms"
    measure = "root mean square" if is_rms else "deviation"
    deviations = 1 / lesson.trace[f"{full}.{'rrms' if is_rms else 'rstd'}"].values
    low, high = int(deviations.argmin()), int(deviations.argmax())
    if low == high:
        return f"The {measure} of {lesson.token(low)} was {number(deviations[low])}; now it is 1."
    return f"""
        Before, the {measure} of {lesson.token(high)} was {number(deviations[high])} and that of
        {lesson.token(low)} {number(deviations[low])}. Now every token's is 1, but for the epsilon
        under the root, and what is left of a vector is its direction.
        """


def gains(lesson: Lesson, full: str) -> str:
    """How far the learned gains are from one another."""
    name = lesson.trace.graph.node(full).parameters[0]
    gain = lesson.trace[name]
    gamma, low, high = gain.values, int(gain.values.argmin()), int(gain.values.argmax())
    said = f"in [{name}]({name})"
    least, most = cell(gain, low), cell(gain, high)
    if lesson.model.config.norm_unit_offset:
        said = f"1 + what is {said}"
        least, most = number(1 + gamma[low]), number(1 + gamma[high])
    if gamma.min() == gamma.max():
        return f"Every gain {said} is {most}."
    return f"""
        The gains are {said}: from {least} for column {low} to {most} for column
        {high}.
        """
