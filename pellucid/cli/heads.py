"""`pellucid heads`: what each attention head looks at."""

from __future__ import annotations

from typing import Annotated

import typer

from pellucid.cli import edits, options

Prompt = Annotated[
    str | None,
    typer.Argument(
        metavar="[PROMPT]",
        help="A text in which tokens occur again; random tokens and the same again unless given.",
    ),
]
Length = Annotated[
    int | None,
    typer.Option("--length", min=2, metavar="N", help="How many random tokens; 25 if they fit."),
]
Texts = Annotated[int, typer.Option("--texts", min=1, metavar="N", help="How many such texts.")]
Threshold = Annotated[
    float,
    typer.Option(
        "--threshold", metavar="SHARE", help="From which share of its attention a head is named."
    ),
]
Whole = Annotated[bool, typer.Option("--all", help="The shares of every head as well.")]


def heads(
    model: options.Model,
    prompt: Prompt = None,
    length: Length = None,
    texts: Texts = 4,
    threshold: Threshold = 0.4,
    whole: Whole = False,
    seed: options.Seed = 0,
    edit: edits.Edits = None,
    ids: options.Ids = None,
    random: options.Random = None,
    dtype: options.EngineDtype = None,
    engine: options.Engine = "numpy",
    device: options.Device = "auto",
    json: options.Json = False,
) -> None:
    """Show what each attention head looks at.

    Finds the heads that look at the token before, at the first token, at an earlier occurrence of
    the same token, and at what followed that (induction heads).
    """
    from pellucid.analysis.heads import heads as measure
    from pellucid.cli import output
    from pellucid.cli.models import open_model
    from pellucid.views.heads import heads_blocks

    summary = measure(
        open_model(model, random=random, dtype=dtype, engine=engine, device=device),
        prompt,
        ids=options.read_ids(ids),
        length=length,
        texts=texts,
        seed=seed,
        threshold=threshold,
        edits=edits.read_edits(edit),
    )
    if json:
        output.write_json(summary.to_dict())
    else:
        output.show(heads_blocks(summary, whole=whole))
