"""`pellucid export`: a model as a folder that `transformers` opens."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pellucid.cli import options

Out = Annotated[Path, typer.Argument(metavar="OUT", help="The folder to make.")]
FamilyName = Annotated[
    str | None,
    typer.Option(
        "--family", metavar="NAME", help="As which model_type; the first that fits unless given."
    ),
]


def export(
    model: options.Model,
    out: Out,
    family: FamilyName = None,
    random: options.Random = None,
    dtype: options.Dtype = None,
    json: options.Json = False,
) -> None:
    """Write a model as a folder that transformers opens.

    It computes the same numbers there. An architecture that no family of theirs has is refused,
    and the fields are named that have no place.
    """
    from pellucid.cli import output
    from pellucid.cli.models import open_model
    from pellucid.interop import export as export_to

    opened = open_model(model, random=random, dtype=dtype)
    home = export_to(opened, out, family=family)
    if json:
        added = list(home.added)
        output.write_json({"folder": str(out), "model_type": home.name, "zero_biases": added})
        return
    words = "with a tokenizer" if opened.tokenizer is not None else "without a tokenizer"
    output.say(
        f"{out}: {opened.n_parameters:,} parameters as {home.name} in {opened.dtype}, {words}"
    )
    if home.added:
        output.say(f"Biases of zero were added, as {home.name} has them: {', '.join(home.added)}.")
