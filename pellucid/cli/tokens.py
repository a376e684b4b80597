"""`pellucid tokens`: how a model cuts a text into tokens."""

from __future__ import annotations

from typing import Annotated

import typer

from pellucid.cli import options


def tokens(
    model: options.Model,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to cut into tokens.")],
    chat: options.Chat = False,
    json: options.Json = False,
) -> None:
    """Show how a model cuts a text into tokens.

    The start token stands first where the model has one, because that is what it reads. With --chat
    the text is a message, and the model's turn is begun behind it.
    """
    from pellucid.cli.models import open_tokenizer
    from pellucid.cli.output import show, write_json
    from pellucid.text.chat import chat_ids
    from pellucid.views.scene import Table

    tokenizer = open_tokenizer(model)
    if chat:
        ids = chat_ids(tokenizer, [{"role": "user", "content": text}])
    else:
        ids = tokenizer.prompt(text)
    if json:
        write_json({"text": text, "ids": ids, "tokens": tokenizer.labels(ids)})
        return
    rows = tuple((place, str(i), tokenizer.label(i)) for place, i in enumerate(ids))
    title = f"{len(ids)} of {tokenizer.vocab_size} {tokenizer.kind} tokens"
    show([Table(title, ("position", "id", "token"), rows)])
