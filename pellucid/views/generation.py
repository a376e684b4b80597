"""A step of a generation as blocks: what was read, what was likely, what each filter took away."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pellucid.generation.sampling import Stage
from pellucid.generation.step import Candidate, Step
from pellucid.views.markup import escape
from pellucid.views.scene import Block, Cell, Heading, Prose, Table

Label = Callable[[int], str]
"""The display of a token id."""

_NAMED = 5
_STOPS = {
    "end token": "It is the end token: the text ends here.",
    "length": "This is the last token that was asked for.",
}


def step_blocks(number: int, step: Step, label: Label) -> tuple[Block, ...]:
    """Return one step: the window, the five best with the chosen one, the filters, why it ended."""
    blocks: list[Block] = [
        Heading(f"Step {number}: {step.token}", level=3),
        Prose(reading(step, label)),
        candidate_table(step),
        filter_table(step, label),
    ]
    if step.stopped is not None:
        blocks.append(Prose(_STOPS[step.stopped]))
    return tuple(blocks)


def reading(step: Step, label: Label) -> str:
    """The window, and where in it the logits were read."""
    window = " ".join(label(i) for i in step.ids)
    said = f"Read at position {step.position} of `{escape(window)}`."
    if step.dropped:
        tokens = "token has" if step.dropped == 1 else "tokens have"
        said += f" {step.dropped} earlier {tokens} slid out of the context."
    return said


def candidate_table(step: Step) -> Table:
    """The likeliest tokens as the model sees them, and with what probability each was drawn."""
    rows = [candidate_row(step, candidate) for candidate in step.top]
    if all(candidate.id != step.id for candidate in step.top):
        logit = float(step.logits[step.id])
        rows.append(candidate_row(step, Candidate(step.id, step.token, logit, step.probability)))
    return Table(
        None,
        ("id", "token", "logit", "probability", "drawn with", ""),
        tuple(rows),
        align=("right", "left", "decimal", "decimal", "decimal", "left"),
    )


def candidate_row(step: Step, candidate: Candidate) -> tuple[Cell, ...]:
    """One token: its score, the model's probability, the one after the filters, and the mark."""
    drawn_with = float(step.filtered.probabilities[candidate.id])
    mark = "chosen" if candidate.id == step.id else ""
    place = str(candidate.id)
    return place, candidate.token, candidate.logit, candidate.probability, drawn_with, mark


def filter_table(step: Step, label: Label) -> Table:
    """What each filter took away, first to last."""
    return Table(
        None,
        ("filter", "setting", "removes", "probability", "likeliest of them"),
        tuple(filter_row(stage, label) for stage in step.filtered.stages),
        align=("left", "right", "right", "decimal", "left"),
    )


def filter_row(stage: Stage, label: Label) -> tuple[Cell, ...]:
    """One filter: how many tokens it removed, how likely they were together, some by name."""
    removed = stage.removed
    order = np.argsort(-stage.before[removed], kind="stable")[:_NAMED]
    named = " ".join(label(int(i)) for i in removed[order])
    more = " …" if len(removed) > _NAMED else ""
    return (
        stage.name,
        f"{stage.setting:g}",
        len(removed),
        stage.removed_probability,
        named + more,
    )
