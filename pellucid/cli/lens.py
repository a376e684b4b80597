"""`pellucid lens`: what a model would say at each place of its residual stream."""

from __future__ import annotations

from typing import Annotated

import typer

from pellucid.cli import edits, options

LINES = 75
"""Room for thirty blocks twice, where the tokens of a prompt do not stand beside each other."""
Position = Annotated[
    str,
    typer.Option("--position", metavar="PLACE", help="After which token, by index or text."),
]
Follow = Annotated[
    list[str] | None,
    typer.Option("--follow", metavar="TOKEN", help="Draw this token's probability as well."),
]
Halves = Annotated[
    bool | None,
    typer.Option(
        "--halves/--blocks",
        help="Every state of the stream, or one for each block; as there is room unless given.",
        show_default=False,
    ),
]


def lens(
    model: options.Model,
    prompt: options.Prompt = None,
    position: Position = "-1",
    follow: Follow = None,
    halves: Halves = None,
    edit: edits.Edits = None,
    ids: options.Ids = None,
    random: options.Random = None,
    dtype: options.EngineDtype = None,
    engine: options.Engine = "numpy",
    device: options.Device = "auto",
    json: options.Json = False,
) -> None:
    """Show what a model would say at each place of its stream.

    Each state of the residual stream goes through the model's own last steps: the norm, its
    statistics worked out anew, and the head. The last place is what the model says.
    """
    from pellucid.analysis.lens import lens as read
    from pellucid.cli import output
    from pellucid.cli.models import open_model
    from pellucid.cli.progress import CountBar
    from pellucid.trace.typed_cell import read_place
    from pellucid.views.lens import lens_blocks

    opened = open_model(model, random=random, dtype=dtype, engine=engine, device=device)
    with CountBar("Reading", "places") as bar:
        reading = read(
            opened,
            prompt,
            ids=options.read_ids(ids),
            follow=follow or (),
            edits=edits.read_edits(edit),
            on_progress=bar.update,
        )
    if json:
        output.write_json(reading.to_dict())
    else:
        blocks = lens_blocks(reading, position=read_place(position), halves=halves)
        output.show(blocks, lines=LINES)
