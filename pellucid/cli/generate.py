"""`pellucid generate`: a prompt continued, token by token."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.cli import edits, options
from pellucid.cli.output import WRONG_INPUT, complain
from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.generation.generation import Generation
    from pellucid.model.model import Model


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
    min_p: Annotated[
        float | None,
        typer.Option(
            "--min-p", metavar="P", help="Draw from tokens P times as likely as the likeliest."
        ),
    ] = None,
    repetition_penalty: Annotated[
        float | None,
        typer.Option(
            "--repetition-penalty", metavar="R", help="Above 1 makes tokens of the text rarer."
        ),
    ] = None,
    stop: Annotated[
        list[str] | None,
        typer.Option("--stop", metavar="TEXT", help="Stop before this text; may be repeated."),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples", metavar="N", min=1, help="So many texts, with seeds one after the other."
        ),
    ] = None,
    seed: options.Seed = 0,
    edit: edits.Edits = None,
    chat: options.Chat = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Show each step: what was read, likely, removed and drawn."),
    ] = False,
    random: options.Random = None,
    dtype: options.EngineDtype = None,
    engine: options.Engine = "numpy",
    device: options.Device = "auto",
    json: options.Json = False,
) -> None:
    """Continue a prompt, and show how each token was chosen.

    Takes the likeliest token unless --temperature, --top-k, --top-p or --min-p is given. Without a
    prompt it asks for one, again and again, until an empty line or the end of the input.

    A text that outgrows the model's context is read through a window, its last tokens, which is
    read anew for every further token. Padding and start tokens are never chosen.

    With --chat the prompt is a message, written down by the model's chat template, and the model's
    reply is printed. Messages that are typed one after the other are one conversation.
    """
    from pellucid.cli import answers
    from pellucid.cli.models import open_model
    from pellucid.generation.sampling import Sampling
    from pellucid.model.inputs import need_tokenizer

    opened = open_model(model, random=random, dtype=dtype, engine=engine, device=device)
    sampling = Sampling.from_options(
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        min_p=min_p,
        repetition_penalty=repetition_penalty,
    )
    for notice in sampling.notices(opened.config.vocab_size):
        complain(notice)
    answer = answers.in_json if json else answers.step_by_step if explain else answers.in_text

    changes = edits.read_edits(edit)

    def respond(text: str | None, given: Sequence[int] | None) -> Generation:
        generation = opened.generate(
            text,
            ids=given,
            max_new_tokens=max_new_tokens,
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            min_p=min_p,
            repetition_penalty=repetition_penalty,
            stop=stop or (),
            samples=samples or 1,
            seed=seed,
            edits=changes,
        )
        answer(opened, generation, many=samples is not None, reply=chat)
        return generation

    if chat and ids is not None:
        raise PellucidError("--chat makes ids of a message: give a prompt, or leave --chat out.")
    reply = in_conversation(opened, respond) if chat else lambda text: respond(text, None)
    if ids is not None:
        respond(prompt, options.read_ids(ids))
    elif prompt is not None:
        reply(prompt)
    else:
        need_tokenizer(opened)
        respond_to_all(reply)


def in_conversation(
    model: Model, respond: Callable[[None, Sequence[int]], Generation]
) -> Callable[[str], None]:
    """What takes one message after the other, and remembers what was said before."""
    said: list[dict[str, str]] = []

    def reply(text: str) -> None:
        asked = [*said, {"role": "user", "content": text}]
        texts = respond(None, model.chat(asked)).texts
        # Of several samples the first is what the conversation goes on with.
        said[:] = [*asked, {"role": "assistant", "content": texts[0].text}]

    return reply


def respond_to_all(respond: Callable[[str], object]) -> None:
    """Answer every prompt that is typed; one that cannot be read does not keep the next from it.

    Where prompts are piped in, the exit code tells whether all of them could be read; where nothing
    is, that is an empty prompt.
    """
    failed = asked = False
    for prompt in ask():
        asked = True
        try:
            respond(prompt)
        except PellucidError as error:
            complain(str(error))
            failed = True
    if sys.stdin.isatty():
        return
    if not asked:
        respond("")
    if failed:
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
