"""`pellucid patch`: which part of a clean run brings its answer back into a corrupted one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli import options
from pellucid.errors import PellucidError, did_you_mean

if TYPE_CHECKING:
    from pellucid.analysis.patching import Patching

Clean = Annotated[
    str | None, typer.Argument(metavar="CLEAN", help="The prompt whose answer is to come back.")
]
Corrupted = Annotated[
    str | None, typer.Argument(metavar="CORRUPTED", help="Another, of as many tokens.")
]
Answer = Annotated[
    str,
    typer.Option(
        "--answer", metavar="TOKEN", help="What CLEAN speaks for, by text or id: ' Paris'."
    ),
]
Against = Annotated[
    str, typer.Option("--against", metavar="TOKEN", help="What to hold it against: ' Rome'.")
]
Kind = Annotated[
    str,
    typer.Option(
        "--places",
        metavar="KIND",
        help="stream, attention, mlp or heads; or a tensor: attn.q, blocks.3.attn.pattern.",
    ),
]
At = Annotated[
    list[str] | None,
    typer.Option("--at", metavar="POSITION", help="Only at this position; may be repeated."),
]
Together = Annotated[
    bool, typer.Option("--together", help="All positions, or all heads, of a layer as one place.")
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="METHOD",
        help="runs: measure each place; gradient: estimate all at once; both: compare.",
    ),
]
Top = Annotated[int, typer.Option("--top", min=0, metavar="N", help="How many places to list.")]
Ids = Annotated[
    list[str] | None,
    typer.Option(
        "--ids", metavar="LIST", help="Token ids instead, for CLEAN and again for CORRUPTED."
    ),
]

METHODS = ("runs", "gradient", "both")


def patch(
    model: options.Model,
    answer: Answer,
    against: Against,
    clean: Clean = None,
    corrupted: Corrupted = None,
    places: Kind = "stream",
    at: At = None,
    together: Together = False,
    method: Method = "runs",
    top: Top = 10,
    ids: Ids = None,
    random: options.Random = None,
    dtype: options.EngineDtype = None,
    engine: options.Engine = "numpy",
    device: options.Device = "auto",
    json: options.Json = False,
) -> None:
    """Find which part of a run brings an answer back.

    The clean run is put into the corrupted one, place by place. Measured is by how many logits
    --answer is ahead of --against after the last token, as a share of the way from the corrupted
    prompt to the clean one.
    """
    from pellucid.analysis.attribution import attribution_patching
    from pellucid.analysis.patch import patch as measure
    from pellucid.cli import output
    from pellucid.cli.models import open_model
    from pellucid.cli.progress import CountBar
    from pellucid.trace.typed_cell import read_place
    from pellucid.views.patching import agreement_blocks, patching_blocks

    check_method(method)
    prompts = options.read_two_prompts(
        clean, corrupted, ids, usage="pellucid patch MODEL CLEAN CORRUPTED"
    )
    opened = open_model(model, random=random, dtype=dtype, engine=engine, device=device)
    asked: dict[str, Any] = {
        "answer": (read_place(answer), read_place(against)),
        "places": places,
        "positions": None if at is None else [read_place(each) for each in at],
        "together": together,
    }
    found: list[Patching] = []
    if method != "gradient":
        with CountBar("Patching", "places") as bar:
            found.append(measure(opened, *prompts, **asked, on_progress=bar.update))
    if method != "runs":
        found.append(attribution_patching(opened, *prompts, **asked))
    first, *others = found
    if json:
        output.write_json((first.agreement(others[0]) if others else first).to_dict())
    elif others:
        output.show(agreement_blocks(first.agreement(others[0]), top=top))
    else:
        output.show(patching_blocks(first, top=top))


def check_method(method: str) -> None:
    """Raise PellucidError for a method that there is not."""
    if method not in METHODS:
        near = did_you_mean(method, METHODS)
        raise PellucidError(f'--method "{method}" is none of {", ".join(METHODS)}.{near}')
