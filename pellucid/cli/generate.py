"""`pellucid generate`: a prompt continued, step by step."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli import options
from pellucid.cli.output import WRONG_INPUT, complain, say, show, write_json
from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.generation.step import Step
    from pellucid.model.model import Model

    Answer = Callable[[Model, Sequence[int], Iterable[Step]], None]


def generate(
    model: options.Model,
    prompt: options.Prompt = None,
    ids: options.Ids = None,
    max_new_tokens: Annotated[
        int, typer.Option("--max-new-tokens", metavar="N", help="Stop after so many tokens.")
    ] = 20,
    temperature: Annotated[
        float | None,
        typer.Option(
            "--temperature", metavar="T", help="0 takes the likeliest; above 1 is more surprising."
        ),
    ] = None,
    top_k: Annotated[
        int | None, typer.Option("--top-k", metavar="K", help="Draw from the K likeliest tokens.")
    ] = None,
    top_p: Annotated[
        float | None,
        typer.Option(
            "--top-p", metavar="P", help="Draw from the fewest tokens that hold this probability."
        ),
    ] = None,
    seed: options.Seed = 0,
    steps: Annotated[
        bool,
        typer.Option(
            "--steps", help="Show each step: what was read, the five best, what was removed."
        ),
    ] = False,
    random: options.Random = None,
    dtype: options.Dtype = None,
    json: options.Json = False,
) -> None:
    """Continue a prompt, and show how each token was chosen.

    Takes the likeliest token unless a sampling option is given. Without a prompt it asks for one,
    again and again, until an empty line or the end of the input.
    """
    from pellucid.cli.models import open_model
    from pellucid.generation.sampling import Sampling
    from pellucid.model.inputs import need_tokenizer, read_ids

    opened = open_model(model, random=random, dtype=dtype)
    sampling: dict[str, Any] = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    for notice in Sampling.from_options(**sampling).notices(opened.config.vocab_size):
        complain(notice)
    settings = {**sampling, "max_new_tokens": max_new_tokens, "seed": seed}
    answer = answer_in_json if json else answer_step_by_step if steps else answer_in_text

    def respond(text: str | None, given: Sequence[int] | None) -> None:
        start = read_ids(opened, text, given)
        answer(opened, start, opened.generate(ids=start, **settings))

    if prompt is not None or ids is not None:
        respond(prompt, options.read_ids(ids))
    else:
        need_tokenizer(opened)
        respond_to_all(respond)


def respond_to_all(respond: Callable[[str, None], None]) -> None:
    """Answer every prompt that is typed; one that cannot be read does not keep the next from it.

    Where prompts are piped in, the exit code tells whether all of them could be read.
    """
    failed = False
    for prompt in ask():
        try:
            respond(prompt, None)
        except PellucidError as error:
            complain(str(error))
            failed = True
    if failed and not sys.stdin.isatty():
        raise typer.Exit(WRONG_INPUT)


def ask() -> Iterator[str]:
    """Prompts from standard input, a line each, until an empty one or the end."""
    while True:
        try:
            line = input("prompt: " if sys.stdin.isatty() else "")
        except EOFError:
            return
        except UnicodeDecodeError as error:
            raise PellucidError(
                f"Standard input is not {error.encoding}: {error.reason}."
            ) from None
        if not line.strip():
            return
        yield line


def answer_in_text(model: Model, start: Sequence[int], steps: Iterable[Step]) -> None:
    """Print the prompt with its continuation."""
    say(text_of(model, [*start, *(step.id for step in steps)]))


def answer_step_by_step(model: Model, start: Sequence[int], steps: Iterable[Step]) -> None:
    """Print each step as it is taken, and the text at the end."""
    from pellucid.views.generation import step_blocks

    ids = list(start)
    for number, step in enumerate(steps, start=1):
        show(step_blocks(number, step, lambda i: model.labels([i])[0]))
        say("")
        ids.append(step.id)
    say(text_of(model, ids))


def answer_in_json(model: Model, start: Sequence[int], steps: Iterable[Step]) -> None:
    """Print the ids, the text and every step as JSON."""
    taken = list(steps)
    ids = [*start, *(step.id for step in taken)]
    write_json(
        {
            "prompt_ids": start,
            "ids": ids,
            "text": None if model.tokenizer is None else model.tokenizer.decode(ids),
            "steps": [step_data(model, step) for step in taken],
        }
    )


def text_of(model: Model, ids: Sequence[int]) -> str:
    """The text of ids, special tokens left out; the ids themselves where there is no tokenizer."""
    return " ".join(map(str, ids)) if model.tokenizer is None else model.tokenizer.decode(ids)


def step_data(model: Model, step: Step) -> dict[str, Any]:
    """One step in what JSON has; of the logits and the distribution only what was looked at."""
    return {
        "ids": step.ids,
        "tokens": model.labels(step.ids),
        "dropped": step.dropped,
        "position": step.position,
        "top": [asdict(candidate) for candidate in step.top],
        "id": step.id,
        "token": step.token,
        "probability": step.probability,
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
