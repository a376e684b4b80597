"""`pellucid diagram`: what a model is made of and what flows where, as a drawing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.cli import options
from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.views.diagram import Diagram

Depth = Annotated[
    str,
    typer.Option(
        "--depth",
        metavar="DEPTH",
        help="overview: the parts; block: the steps of a block; deep: every step, with parameters.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="txt, svg, png, pdf or mermaid; as FILE ends unless given.",
    ),
]
Out = Annotated[
    str | None,
    typer.Option(
        "--out", metavar="FILE", help="Write it to a file; PNG and PDF are written only so."
    ),
]
Unfold = Annotated[
    bool, typer.Option("--unfold", help="Draw every block, not one for all that are alike.")
]
Theme = Annotated[
    str,
    typer.Option("--theme", metavar="THEME", help="auto (as the reader's screen), light or dark."),
]
Prompt = Annotated[
    str | None,
    typer.Option("--prompt", metavar="TEXT", help="Write in these tokens, and their number."),
]


def diagram(
    model: options.Model,
    depth: Depth = "block",
    format: Format = None,
    out: Out = None,
    unfold: Unfold = False,
    theme: Theme = "auto",
    prompt: Prompt = None,
    ids: options.Ids = None,
) -> None:
    """Draw what a model is made of, and what flows where.

    It is drawn from the model's own graph. No weights are needed for this.
    """
    from pellucid.cli.models import open_config
    from pellucid.cli.output import say
    from pellucid.decoder.architecture import build_graph
    from pellucid.views.diagram import Diagram
    from pellucid.views.diagram.drawing import BINARY, check_theme, format_of
    from pellucid.views.diagram.reading import read

    config = open_config(model)
    tokens = tokens_of(model, prompt, options.read_ids(ids), config.vocab_size)
    check_theme(theme)
    kind = format_of(None if out is None else Path(out), format)
    structure = read(build_graph(config), depth=depth, unfold=unfold, tokens=tokens)
    drawn = Diagram(structure, Path(model).name)
    if out is not None:
        say(f"Written to {drawn.save(out, format=kind, theme=theme)}")
    elif kind in BINARY:
        raise PellucidError(f"A {kind.upper()} is no text: give --out FILE.{kind}.")
    else:
        say(as_text(drawn, kind, theme), end="")


def as_text(drawn: Diagram, kind: str, theme: str) -> str:
    """A diagram in one of the formats that are text; drawn lines as wide as the terminal."""
    from pellucid.views.terminal.page import Page

    if kind == "svg":
        return drawn.svg(theme=theme)
    if kind == "mermaid":
        return drawn.mermaid()
    page = Page.here()
    return drawn.text(width=page.width, encoding=page.encoding)


def tokens_of(
    model: str, prompt: str | None, ids: list[int] | None, vocab_size: int
) -> tuple[str, ...]:
    """Labels for the tokens of a prompt or for ids; none without either.

    Raises:
        PellucidError: both are given, the model has no tokenizer, or no such token.
    """
    from pellucid.cli.models import open_tokenizer

    if prompt is not None and ids is not None:
        raise PellucidError("Give a prompt or ids, not both.")
    if prompt is not None:
        tokenizer = open_tokenizer(model)
        return tokenizer.labels(tokenizer.prompt(prompt))
    for each in ids or ():
        if not 0 <= each < vocab_size:
            raise PellucidError(f"{each} is not an id of this vocabulary of {vocab_size:,} tokens.")
    return tuple(map(str, ids or ()))
