"""`pellucid check`: whether a model's numbers are what they say they are."""

from __future__ import annotations

from typing import Annotated

import typer

from pellucid.cli import edits, options

DOES_NOT_HOLD = 1

AllCells = Annotated[
    bool, typer.Option("--all-cells", help="Work every cell out again; for small models.")
]
Cells = Annotated[
    int, typer.Option("--cells", min=1, metavar="N", help="How many cells of each tensor to try.")
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target", metavar="TOKEN", help='What the loss is of; "next" unless there is one token.'
    ),
]


def check(
    model: options.Model,
    prompt: options.Prompt = None,
    ids: options.Ids = None,
    target: Target = None,
    edit: edits.Edits = None,
    all_cells: AllCells = False,
    cells: Cells = 8,
    seed: options.Seed = 0,
    random: options.Random = None,
    dtype: options.Dtype = None,
    json: options.Json = False,
) -> None:
    """Work a model's numbers out again, and verify what must hold.

    Tries its gradients by moving weights, too. Ends with 1, and names the first tensor that fails,
    where something does not hold.
    """
    from dataclasses import asdict

    from pellucid.cli import output
    from pellucid.cli.models import open_model
    from pellucid.views.check import check_blocks

    opened = open_model(model, random=random, dtype=dtype)
    given = options.read_ids(ids)
    changes = edits.read_edits(edit)
    wanted = options.read_target(target, words=opened.tokenizer is not None)
    traced = opened.trace(prompt, ids=given, target=wanted, edits=changes)
    if target is None and len(traced.ids) > 1:
        traced = opened.trace(ids=traced.ids, target="next", edits=changes)
    found = traced.check(all_cells=all_cells, cells=cells, seed=seed)
    if json:
        findings = [asdict(finding) | {"holds": finding.holds} for finding in found.findings]
        output.write_json({"holds": found.holds, "findings": findings})
    else:
        output.show(check_blocks(found))
    if not found.holds:
        raise typer.Exit(DOES_NOT_HOLD)
