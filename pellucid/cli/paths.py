"""`pellucid paths`: what each component along the residual stream adds to one number."""

from __future__ import annotations

from typing import Annotated

import typer

from pellucid.cli import edits, options

Prompt = Annotated[str, typer.Argument(metavar="PROMPT", help="The text to read.")]
Cell = Annotated[
    str,
    typer.Argument(metavar="CELL", help="Which number: logits[position=-1,vocab=groot], say."),
]
Minus = Annotated[
    str | None,
    typer.Option(
        "--minus", metavar="PLACE", help="Take off the cell at another place of the last dim."
    ),
]
ByBlock = Annotated[
    bool, typer.Option("--by-block", help="A row for each block: its heads, its network, the rest.")
]
Top = Annotated[int, typer.Option("--top", min=0, metavar="N", help="How many components to show.")]


def paths(
    model: options.Model,
    prompt: Prompt,
    cell: Cell,
    minus: Minus = None,
    top: Top = 10,
    by_block: ByBlock = False,
    edit: edits.Edits = None,
    ids: options.Ids = None,
    random: options.Random = None,
    dtype: options.Dtype = None,
    json: options.Json = False,
) -> None:
    """Show what each part of the decoder adds to a logit.

    Each embedding, head, feed-forward network, bias and shift, directly; norms keep the scale that
    they had in the run. CELL may be of another tensor along the residual stream.
    With --ids give an empty prompt: pellucid paths MODEL "" CELL --ids 1,11,3,8
    """
    from pellucid.cli import output
    from pellucid.cli.models import open_model
    from pellucid.trace.typed_cell import read_place
    from pellucid.views.catalogue.contributions import contributions
    from pellucid.views.paths import paths_blocks

    traced = open_model(model, random=random, dtype=dtype).trace(
        None if ids is not None and not prompt else prompt,
        ids=options.read_ids(ids),
        edits=edits.read_edits(edit),
    )
    other = None if minus is None else read_place(minus)
    found = traced.paths(cell, top=top, minus=other)
    if json:
        output.write_json(found.to_dict())
    elif by_block:
        output.show(contributions(found))
    else:
        output.show(paths_blocks(found))
