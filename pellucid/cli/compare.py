"""`pellucid compare`: the first tensor in which two runs differ by more than rounding."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pellucid.cli import options

APART = 1
"""The exit code of a fault, and of two different models."""

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


def compare(
    a: A,
    b: B,
    prompt: options.Prompt = None,
    ids: options.Ids = None,
    names: Names = None,
    json: options.Json = False,
) -> None:
    """Find the first tensor in which two runs really differ.

    By more than rounding, that is: each step is run again in float64 where there are weights. Two
    models on one prompt, two saved traces, or a model (or trace) and what another program computed.
    Ends with 0 for equal or noise, and with 1 for a fault or for different models: two whose
    weights or configs differ, each held to its own weights.
    """
    from pellucid.cli.output import show, write_json
    from pellucid.model.compare import compare
    from pellucid.views.comparison import comparison_blocks

    found = compare(a, b, prompt=prompt, ids=options.read_ids(ids), names=read_names(names))
    if json:
        write_json(found.to_dict())
    else:
        show(comparison_blocks(found))
    if found.verdict in ("fault", "different"):
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
