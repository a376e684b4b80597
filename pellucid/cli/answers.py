"""What `pellucid generate` prints of a generation: its text, every step, or JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from unicodedata import category

from pellucid.cli.output import complain, say, show, write_json

if TYPE_CHECKING:
    from pellucid.generation.continuation import Continuation
    from pellucid.generation.generation import Generation
    from pellucid.generation.step import Step
    from pellucid.model.model import Model


def in_text(model: Model, generation: Generation, *, many: bool, reply: bool = False) -> None:
    """Print each text; a single one while it comes, in whole characters.

    A `reply` is printed without what it replies to.
    """
    if many:
        steps = list(generation)
        for text in generation.texts:
            say(f"Sample {text.number}, seed {text.seed}:")
            write(whole(text, reply=reply) + "\n")
    else:
        (text,) = generation.texts
        steps = []
        write("" if reply else whole(text), end="")
        for step in generation:
            write(step.text if text.transcript else f" {step.id}", end="")
            steps.append(step)
        say("")
    tell_of_slides(model, steps)


def write(text: str, *, end: str = "\n") -> None:
    """Print what a model wrote: exactly to a file or a pipe, spelled out to a terminal."""
    say(harmless(text) if sys.stdout.isatty() else text, end=end)


def harmless(text: str) -> str:
    """Text without the characters that a terminal obeys; a model may write any."""
    return "".join(
        f"\\x{ord(char):02x}" if category(char) == "Cc" and char not in "\n\t" else char
        for char in text
    )


def tell_of_slides(model: Model, steps: Sequence[Step]) -> None:
    """Say it where a text outgrew the context: the model forgets, and takes longer."""
    slid = sum(step.dropped > 0 for step in steps)
    if slid:
        size = model.config.block_size
        complain(
            f"The text outgrew the context of {size} tokens: {slid} of {len(steps)} steps saw only "
            f"its last {size}, and worked all of them out anew."
        )


def step_by_step(model: Model, generation: Generation, *, many: bool, reply: bool = False) -> None:
    """Print each step as it is taken, and each text as it ends."""
    from pellucid.views.edits import in_words
    from pellucid.views.generation import step_blocks

    if generation.edits:
        say(f"{in_words(generation.edits)}\n")
    for step in generation:
        text = generation.texts[step.sample]
        if many:
            say(f"Sample {text.number}, seed {text.seed}")
        show(step_blocks(step))
        say("")
        if step.stopped:
            write(whole(text, reply=reply))


def in_json(model: Model, generation: Generation, *, many: bool, reply: bool = False) -> None:
    """Print the ids, the text and every step as JSON; a list of such where many are asked for."""
    taken = list(generation)
    found = [
        {
            "prompt_ids": text.prompt_ids,
            "ids": text.ids,
            "text": whole(text, reply=reply) if text.transcript else None,
            "seed": text.seed,
            "stopped": text.stopped,
            **({"edits": [str(edit) for edit in generation.edits]} if generation.edits else {}),
            "steps": [step_data(model, step) for step in taken if step.sample == text.number],
        }
        for text in generation.texts
    ]
    write_json(found if many else found[0])


def whole(text: Continuation, *, reply: bool = False) -> str:
    """A text as far as it has come, or the reply alone; its ids where there is no tokenizer."""
    if not text.transcript:
        return " ".join(map(str, text.ids))
    return text.text if reply else text.prompt + text.text


def step_data(model: Model, step: Step) -> dict[str, Any]:
    """One step in what JSON has; of the logits and the distribution only what was looked at."""
    return {
        "number": step.number,
        "ids": step.ids,
        "tokens": model.labels(step.ids),
        "dropped": step.dropped,
        "position": step.position,
        "top": [asdict(candidate) for candidate in step.top],
        "id": step.id,
        "token": step.token,
        "text": step.text,
        "probability": step.probability,
        "uniform": step.uniform,
        "drawn_with": step.filtered.probabilities[step.id],
        "filters": [
            {
                "name": stage.name,
                "setting": stage.setting,
                "removed": stage.removed,
                "removed_probability": stage.removed_probability,
            }
            for stage in step.filtered.stages
        ],
        "stopped": step.stopped,
    }
