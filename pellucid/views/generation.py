"""A step of a generation as blocks: what was read, what was likely, what each filter did to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pellucid.generation.stages import Stage
from pellucid.generation.step import Candidate, Step
from pellucid.views.markup import escape
from pellucid.views.scene import Align, Block, Cell, Heading, Prose, Table

_NAMED = 5
_MOST_READ = 24
_SCORES = {"repetition_penalty": "after penalty", "temperature": "after temperature"}
"""The stages after which every score is another, and the column that shows it."""
_COUNTED = "After temperature, scores are counted from the best one's."
_DECIMAL: Align = "decimal"
_STOPS = {
    "end token": "It is the end token: the text ends here.",
    "stop string": "With it the text comes to a string at which it stops.",
    "length": "This is the last token that was asked for.",
}


def step_blocks(step: Step) -> tuple[Block, ...]:
    """Return one step: the window, the likeliest tokens, the filters, the draw, why it ended."""
    blocks: list[Block] = [
        Heading(f"Step {step.number + 1}: {step.token}", level=3),
        Prose(reading(step)),
        candidate_table(step),
        filter_table(step),
        Prose(drawing(step)),
    ]
    if step.stopped is not None:
        blocks.append(Prose(_STOPS[step.stopped]))
    return tuple(blocks)


def reading(step: Step) -> str:
    """The window, and where in it the logits were read."""
    shown = step.ids[-_MOST_READ:]
    window = " ".join([*(["…"] if len(shown) < len(step.ids) else []), *map(step.label, shown)])
    said = f"Read at position {step.position} of `{escape(window)}`."
    if step.dropped:
        tokens = "token has" if step.dropped == 1 else "tokens have"
        said += (
            f" {step.dropped} earlier {tokens} slid out of the context, so that every position was "
            "worked out anew."
        )
    return said


def candidate_table(step: Step) -> Table:
    """The likeliest tokens as the model sees them, and with what probability each was drawn."""
    shown = list(step.top)
    if all(candidate.id != step.id for candidate in shown):
        shown.append(step.candidate(step.id))
    changes = [stage for stage in step.filtered.stages if changes_scores(stage)]
    columns = tuple(_SCORES[stage.name] for stage in changes)
    return Table(
        None,
        ("id", "token", "logit", "probability", *columns, "drawn with", ""),
        tuple(candidate_row(step, candidate, changes) for candidate in shown),
        align=("right", "left", *(_DECIMAL,) * (3 + len(columns)), "left"),
        note=_COUNTED if _SCORES["temperature"] in columns else None,
    )


def changes_scores(stage: Stage) -> bool:
    """Whether a stage gives tokens other scores, and not merely takes some away."""
    return stage.name in _SCORES and stage.setting not in (0, 1)


def candidate_row(step: Step, candidate: Candidate, changes: Sequence[Stage]) -> tuple[Cell, ...]:
    """One token: its scores, the model's probability, the one after the filters, and the mark."""
    drawn_with = float(step.filtered.probabilities[candidate.id])
    mark = "chosen" if candidate.id == step.id else ""
    scores = [float(stage.scores_after[candidate.id]) for stage in changes]
    return (
        str(candidate.id),
        candidate.token,
        candidate.logit,
        candidate.probability,
        *scores,
        drawn_with,
        mark,
    )


def drawing(step: Step) -> str:
    """How the choice fell on its token."""
    token = escape(step.token)
    if step.uniform is None:
        return f"Greedy: `{token}` is the likeliest that is left."
    probabilities = step.filtered.probabilities
    start = float(probabilities[: step.id].sum())
    end = start + float(probabilities[step.id])
    return (
        f"Drawn: {step.uniform:.6f} falls to `{token}`, which holds {start:.6f} to {end:.6f} when "
        "the tokens that are left stand in a row by id."
    )


def filter_table(step: Step) -> Table:
    """What each filter took away, first to last."""
    return Table(
        None,
        ("filter", "setting", "removes", "probability", "likeliest of them"),
        tuple(filter_row(stage, step.label) for stage in step.filtered.stages),
        align=("left", "right", "right", "decimal", "left"),
    )


def filter_row(stage: Stage, label: Callable[[int], str]) -> tuple[Cell, ...]:
    """One filter: how many tokens it removed, how likely they were together, some by name."""
    removed = stage.removed
    order = np.argsort(-stage.before[removed], kind="stable")[:_NAMED]
    named = " ".join(label(int(i)) for i in removed[order])
    more = " …" if len(removed) > _NAMED else ""
    return (
        stage.name,
        "" if stage.setting is None else f"{stage.setting:g}",
        len(removed),
        stage.removed_probability,
        named + more,
    )
