"""`pellucid import`: another program's model as a folder of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pellucid.cli import options

Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A Hugging Face folder, a .gguf file, a .pt file of nanoGPT or minGPT, or a model's "
        "name on Hugging Face.",
    ),
]
Out = Annotated[Path, typer.Argument(metavar="OUT", help="The folder to make.")]
Heads = Annotated[
    int | None,
    typer.Option("--heads", metavar="N", min=1, help="Of a .pt file that does not say it."),
]


def import_(source: Source, out: Out, heads: Heads = None, dtype: options.Dtype = None) -> None:
    """Turn another program's model into a folder of ours.

    Its weights become float32 where they had 16 bits. Nothing in a source is ever run: a field or
    an array that is not understood ends the import with its name. By its name a model comes from
    the network: its settings, its safetensors and its tokenizer, and nothing else.
    """
    from pellucid.cli import output
    from pellucid.interop.importing import check_target, read_source

    check_target(out)
    model = read_source(source, n_head=heads, dtype=dtype)
    model.save(out)
    words = "with a tokenizer" if model.tokenizer is not None else "without a tokenizer"
    output.say(f"{out}: {model.n_parameters:,} parameters in {model.dtype}, {words}")
