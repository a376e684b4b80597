"""One tensor added to another, cell by cell: an input matrix, a residual connection."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pellucid.decoder.titles import local_name
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import number
from pellucid.trace.trace import Trace
from pellucid.views.catalogue.block import first_residual, second_residual
from pellucid.views.catalogue.embeddings import input_matrix
from pellucid.views.scene import Block, Equation

VIEWS: dict[str, Callable[[Trace], tuple[Block, ...]]] = {
    "embed.out": input_matrix,
    "resid_mid": first_residual,
    "resid_post": second_residual,
}


def addition(lesson: Lesson, name: str) -> tuple[Block, ...]:
    """The two addends and the sum `name`, and one cell of it worked out in numbers."""
    view = VIEWS[local_name(name)]
    return *view(lesson.trace), Equation(worked_cell(lesson, name))


def worked_cell(lesson: Lesson, name: str) -> str:
    """The largest cell of the last token's row as the sum that it is."""
    trace = lesson.trace
    row = trace[name].values[-1]
    column = int(np.abs(row).argmax())
    inputs = trace.graph.node(name).inputs
    addends = " + ".join(number(trace[part].values[-1, column]) for part in inputs)
    return f"{name}[{trace.tokens[-1]}, {column}] = {addends} = {number(row[column])}"
