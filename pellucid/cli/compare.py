"""`pellucid compare`: the first tensor in which two runs differ by more than rounding."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pellucid.cli import edits, options

APART = 1
"""The exit code of a fault, of two different models, and of an edit that changes something."""

A = Annotated[str, typer.Argument(metavar="A", help="A model, or the file of a saved trace.")]
B = Annotated[
    str,
    typer.Argument(
        metavar="B", help="The same, or another program's arrays: .npz or .safetensors."
    ),
]
Names = Annotated[
    str | None,
    typer.Option(
        "--names", metavar="FILE", help='Our names for theirs, as JSON: {"theirs": "logits", …}'
    ),
]

Rerun = Annotated[
    bool, typer.Option("--rerun", help="Run the steps again in float64 with --edit too.")
]


def compare(
    a: A,
    b: B,
    prompt: options.Prompt = None,
    ids: options.Ids = None,
    edit: edits.Edits = None,
    names: Names = None,
    rerun: Rerun = False,
    json: options.Json = False,
) -> None:
    """Find the first tensor in which two runs really differ.

    By more than rounding, that is: each step is run again in float64 where there are weights. Two
    models on one prompt, two saved traces, or a model (or trace) and what another program computed.
    With --edit: what an edit to the run of B changes, step by step, and in what comes next.
    Ends with 0 for equal or noise, and with 1 for a fault, for edits that change something, or for
    different models: two whose weights or configs differ, each held to its own weights.
    """
    from pellucid.cli.output import show, write_json
    from pellucid.model.compare import compare
    from pellucid.views.comparison import comparison_blocks

    found = compare(
        a,
        b,
        prompt=prompt,
        ids=options.read_ids(ids),
        edits=edits.read_edits(edit),
        names=read_names(names),
        rerun=rerun,
    )
    if json:
        write_json(found.to_dict())
    else:
        show(comparison_blocks(found))
    if found.verdict not in ("equal", "noise"):
        raise typer.Exit(APART)


def read_names(path: str | None) -> dict[str, str] | None:
    """A mapping of names from a JSON file.

    Raises:
        PellucidError: there is no such file, or it holds something else.
    """
    import msgspec

    from pellucid.errors import PellucidError

    if path is None:
        return None
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=dict[str, str])
    except OSError as error:
        raise PellucidError(f"{path} cannot be read: {error.strerror}.") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise PellucidError(f"{path} is no mapping of names to names: {error}.") from None
