"""The slope of the loss by one weight, and a step down that slope with the loss computed anew."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10

import numpy as np

from pellucid.model.model import Model
from pellucid.tour.lesson import Lesson
from pellucid.tour.phrases import count, prose, see
from pellucid.trace.cell import name_cell
from pellucid.views.scene import Block, Heading, Prose, Table

RATE = 0.1
NO_TARGET = -1


@dataclass(frozen=True)
class Step:
    """One weight moved against its gradient, all others left alone; losses in nats."""

    name: str
    index: tuple[int, ...]
    weight: float
    gradient: float
    before: float
    after: float

    @property
    def move(self) -> float:
        """What plain gradient descent adds to the weight: −rate · gradient."""
        return -RATE * self.gradient

    @property
    def foretold(self) -> float:
        """The change of the loss if its slope stayed the same all the way."""
        return self.gradient * self.move


def gradient(lesson: Lesson) -> tuple[Block, ...]:
    """The steepest weight on the prompt, one step, and what it did."""
    heading, question = Heading("The gradient", 2), how_it_learns()
    if not lesson.followers:
        return heading, question
    step = steepest(lesson)
    return heading, question, step_table(lesson, step), see(outcome(lesson, step))


def how_it_learns() -> Prose:
    """What a gradient is and what is done with it."""
    return prose(
        f"""
        How does it learn? For every parameter the slope of the loss is computed: how fast the loss
        would rise if that one number grew. This slope is the parameter's **gradient**. Then the
        parameter takes a small step the other way: here, −{RATE} times its gradient.
        """
    )


def steepest(lesson: Lesson) -> Step:
    """The weight whose gradient on the prompt is largest, moved, and the model run again."""
    contexts, targets = questions(lesson)
    gradients = lesson.model.gradients(contexts, targets)
    name = max(gradients, key=lambda name: float(np.abs(gradients[name]).max()))
    flat = int(np.abs(gradients[name]).argmax())
    index = tuple(int(i) for i in np.unravel_index(flat, gradients[name].shape))
    slope = float(gradients[name][index])
    moved = with_moved(lesson.model, name, index, -RATE * slope)
    return Step(
        name=name,
        index=index,
        weight=float(lesson.model.parameters[name][index]),
        gradient=slope,
        before=lesson.model.loss(contexts, targets),
        after=moved.loss(contexts, targets),
    )


def questions(lesson: Lesson) -> tuple[list[list[int]], list[list[int]]]:
    """The prompt as a batch of one, and what follows each of its tokens."""
    missing = len(lesson.prompt_ids) - len(lesson.followers)
    return [[*lesson.prompt_ids]], [[*lesson.followers, *[NO_TARGET] * missing]]


def with_moved(model: Model, name: str, index: tuple[int, ...], move: float) -> Model:
    """The same model but for one number."""
    values = model.parameters[name].copy()
    values[index] += move
    return Model(model.config, {**model.parameters, name: values}, model.tokenizer)


def step_table(lesson: Lesson, step: Step) -> Table:
    """The weight and the loss, before and after."""
    decimals = enough_decimals(step)
    written = [
        f"{value:.{decimals}f}"
        for value in (
            step.weight,
            step.gradient,
            step.move,
            step.weight + step.move,
            step.before,
            step.after,
        )
    ]
    place = name_cell(lesson.model.parameter(step.name), step.index)
    return Table(
        "One step of one weight",
        ("", f"{step.name}[{place}]"),
        tuple(
            zip(
                (
                    "its value",
                    "its gradient",
                    f"the step, −{RATE} · gradient",
                    "its value after the step",
                    "loss of the prompt before (nats)",
                    "loss of the prompt after (nats)",
                ),
                written,
                strict=True,
            )
        ),
        align=("left", "decimal"),
    )


def enough_decimals(step: Step) -> int:
    """Four, or as many as show two digits of what the slope foretells."""
    size = abs(step.foretold)
    return max(4, min(1 - floor(log10(size)), 12)) if size else 4


def outcome(lesson: Lesson, step: Step) -> str:
    """What the step did to the loss, what its slope foretold, and what the whole corpus says."""
    decimals = enough_decimals(step)
    change = step.after - step.before
    moved = f"{'fell' if change < 0 else 'rose'} by {abs(change):.{decimals}f}"
    if not change:
        moved = f"did not move, for {lesson.model.dtype} does not show so little"
    return f"""
        Of all {count(lesson.model.n_parameters, "parameter")} this one has the largest gradient
        here. After its step the model was run again: the loss {moved}. The slope foretold a
        fall of {RATE} · gradient² = {abs(step.foretold):.{decimals}f}, if it had stayed the same
        all the way. {whole_corpus(lesson, step)}
        """


def whole_corpus(lesson: Lesson, step: Step) -> str:
    """The same weight's gradient where every sentence has a say."""
    if lesson.corpus is None:
        return ""
    pairs = lesson.corpus.pairs
    slopes = lesson.model.gradients(pairs.contexts, pairs.targets, pairs.lengths)
    slope = float(slopes[step.name][step.index])
    ending = (
        "what this text pulls one way, the others pull back"
        if abs(slope) < abs(step.gradient) / 10
        else "that is the slope a training goes by"
    )
    decimals = enough_decimals(step)
    # Adding 0 makes a −0 a 0.
    written = round(slope, decimals) + 0.0
    return f"Over all {count(len(pairs), 'pair')} its gradient is {written:.{decimals}f}: {ending}."
