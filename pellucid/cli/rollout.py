"""`pellucid rollout`: how attention adds up over the blocks."""

from __future__ import annotations

from typing import Annotated

import typer

from pellucid.cli import edits, options

Block = Annotated[
    int, typer.Option("--block", metavar="N", help="After which block; the last unless given.")
]
Residual = Annotated[
    float,
    typer.Option("--residual", metavar="SHARE", help="What each block leaves where it is."),
]


def rollout(
    model: options.Model,
    prompt: options.Prompt = None,
    block: Block = -1,
    residual: Residual = 0.5,
    edit: edits.Edits = None,
    ids: options.Ids = None,
    random: options.Random = None,
    dtype: options.EngineDtype = None,
    engine: options.Engine = "numpy",
    device: options.Device = "auto",
    json: options.Json = False,
) -> None:
    """Show how attention adds up over the blocks.

    How much of each token a position would hold if blocks did nothing but attend, the patterns of
    their heads averaged (Abnar and Zuidema, 2020).
    """
    from pellucid.analysis.rollout import rollout as roll_out
    from pellucid.cli import output
    from pellucid.cli.models import open_model
    from pellucid.views.catalogue.head_shares import rollout as rollout_view

    opened = open_model(model, random=random, dtype=dtype, engine=engine, device=device)
    names = [f"blocks.{number}.attn.pattern" for number in range(opened.config.n_layer)]
    traced = opened.trace(
        prompt, ids=options.read_ids(ids), edits=edits.read_edits(edit), names=names
    )
    rolled = roll_out(traced, residual=residual)
    if json:
        output.write_json(rolled.to_dict())
    else:
        output.show(rollout_view(rolled, block=block))
