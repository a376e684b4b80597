"""One tensor added to another, cell by cell: an input matrix, a residual connection."""

from __future__ import annotations

import numpy as np

from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import number
from pellucid.views.scene import Block, Equation, Matrix, Row


def addition(lesson: Lesson, name: str) -> tuple[Block, ...]:
    """The two addends and the sum `name`, and one cell of it worked out in numbers."""
    trace = lesson.trace
    inputs = trace.graph.node(name).inputs
    return (
        Row(tuple(Matrix.of(trace[part]) for part in (*inputs, name))),
        Equation(worked_cell(lesson, name, inputs)),
    )


def worked_cell(lesson: Lesson, name: str, inputs: tuple[str, ...]) -> str:
    """The largest cell of the last token's row as the sum that it is."""
    trace = lesson.trace
    row = trace[name].values[-1]
    column = int(np.abs(row).argmax())
    addends = " + ".join(number(trace[part].values[-1, column]) for part in inputs)
    return f"{name}[{trace.tokens[-1]}, {column}] = {addends} = {number(row[column])}"
