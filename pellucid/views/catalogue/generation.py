"""How a text goes on: each step of a generation, and the way from logits to one choice."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.errors import PellucidError
from pellucid.generation.filters import best
from pellucid.generation.stages import Stage
from pellucid.generation.step import Step
from pellucid.views.catalogue.places import MOST_QUOTED, amount, place, quoted
from pellucid.views.markup import escape
from pellucid.views.scene import Bars, Block, Row, Table

MOST_STEPS = 6
"""Of a longer text the bars of its first steps are drawn."""
STAGES = {
    "never": "leaving out what is never chosen",
    "repetition_penalty": "repetition penalty {:g}",
    "temperature": "temperature {:g}",
    "top_k": "top-k {:g}",
    "top_p": "top-p {:g}",
    "min_p": "min-p {:g}",
}


def generation(steps: Sequence[Step], *, sample: int = 0) -> tuple[Block, ...]:
    """One token after another: what was read, what was likely, and what was chosen."""
    chosen = of_sample(steps, sample)
    return (
        Table(
            "Generation, step by step",
            ("step", "read", "chosen", "probability", "best other", "its probability"),
            tuple(step_row(step) for step in chosen),
            align=("right", "right", "left", "decimal", "left", "decimal"),
        ),
        Row(tuple(likely(step) for step in chosen[:MOST_STEPS])),
    )


def of_sample(steps: Sequence[Step], sample: int) -> list[Step]:
    """The steps of one text of a generation.

    Raises PellucidError where there are none.
    """
    chosen = [step for step in steps if step.sample == sample]
    if not chosen:
        raise PellucidError(
            f"There is no step of sample {sample} among these {len(steps)}: "
            "give list(model.generate(…)), and a sample from 0 on."
        )
    return chosen


def step_row(step: Step) -> tuple[int, str, str, float, str | None, float | None]:
    """One step as a row: the choice and the best of the others."""
    others = [candidate for candidate in step.top if candidate.id != step.id]
    second = (others[0].token, others[0].probability) if others else (None, None)
    return step.number + 1, read(step), step.token, step.probability, *second


def read(step: Step) -> str:
    """The last tokens that a step read."""
    return quoted([step.label(id) for id in step.ids[-MOST_QUOTED - 1 :]])


def likely(step: Step) -> Bars:
    """The likeliest tokens of one step, as the model sees them before any filter."""
    return Bars(
        f"Step {step.number + 1}: {step.token}",
        tuple((candidate.token, candidate.probability) for candidate in step.top),
        limit=1.0,
    )


def ladder(
    steps: Sequence[Step], *, sample: int = 0, step: int = 0, top: int = 8
) -> tuple[Block, ...]:
    """From logits to a choice: what temperature and each filter make of the likeliest tokens."""
    top = amount("top", top, "token")
    of_text = of_sample(steps, sample)
    looked = of_text[place("step", step, len(of_text))]
    ids = best(looked.filtered.stages[0].scores_before, top).tolist()
    logits = Bars(
        "Logits",
        tuple((looked.label(id), float(looked.logits[id])) for id in ids),
        note=f"After “{escape(read(looked))}”.",
    )
    *stages, last = (stage for stage in looked.filtered.stages if matters(stage, ids))
    rungs = (rung(looked, stage, ids) for stage in stages)
    return (Row((logits, shares(looked, ids), *rungs, rung(looked, last, ids, choice(looked)))),)


def shares(step: Step, ids: Sequence[int]) -> Bars:
    """The model's own probabilities, before any filter."""
    own = step.filtered.unfiltered
    return Bars(
        "Softmax: probabilities",
        tuple((step.label(id), float(own[id])) for id in ids),
        limit=1.0,
    )


def matters(stage: Stage, ids: Sequence[int]) -> bool:
    """Whether a stage is worth a look: all but the one that takes out tokens without text.

    That one, too, where it takes out one of those that are shown.
    """
    return stage.name != "never" or bool((stage.after[list(ids)] == 0).any())


def rung(step: Step, stage: Stage, ids: Sequence[int], *notes: str) -> Bars:
    """The probabilities after one stage."""
    name = STAGES.get(stage.name, stage.name).format(stage.setting)
    removed, held = len(stage.removed), stage.removed_probability
    taken = (f"Takes out {removed:,} that held {held:.3g}.",) if removed else ()
    return Bars(
        f"After {name}",
        tuple((step.label(id), float(stage.after[id])) for id in ids),
        limit=1.0,
        note=" ".join((*taken, *notes)) or None,
    )


def choice(step: Step) -> str:
    """How the choice fell, in words."""
    how = "the likeliest" if step.uniform is None else f"by the random number {step.uniform:.6f}"
    return f"Chosen: {escape(step.token)}, {how}."
