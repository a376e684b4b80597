"""`pellucid explain`: where one number came from, or its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli import options

if TYPE_CHECKING:
    from pellucid.trace.explanation import Explanation

TO_PROGRAMS = 64
"""How many terms JSON holds, unless all are asked for."""

Prompt = Annotated[str, typer.Argument(metavar="PROMPT", help="The text to read.")]
Cell = Annotated[
    str,
    typer.Argument(
        metavar="CELL", help="Which number: blocks.0.attn.scores[query=am,key=i], for example."
    ),
]
Depth = Annotated[
    int, typer.Option("--depth", min=0, metavar="N", help="How many levels to follow below it.")
]
All = Annotated[bool, typer.Option("--all", help="Show every product, not the largest alone.")]
Grad = Annotated[
    bool, typer.Option("--grad", help="Explain the gradient of the loss by it; needs --target.")
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="TOKEN",
        help='What should come next, for a gradient; "next": at every position.',
    ),
]


def explain(
    model: options.Model,
    prompt: Prompt,
    cell: Cell,
    depth: Depth = 2,
    every: All = False,
    grad: Grad = False,
    target: Target = None,
    ids: options.Ids = None,
    random: options.Random = None,
    dtype: options.Dtype = None,
    json: options.Json = False,
) -> None:
    """Show where one number came from: its formula, its operands, and what these were made of.

    With --ids give an empty prompt: pellucid explain MODEL "" CELL --ids 1,11,3,8
    """
    from pellucid.cli import output
    from pellucid.cli.cell import read_cell
    from pellucid.cli.models import open_model
    from pellucid.views.explanation import SHOWN, explanation_blocks

    name, places = read_cell(cell)
    opened = open_model(model, random=random, dtype=dtype)
    traced = opened.trace(
        None if ids is not None and not prompt else prompt,
        ids=options.read_ids(ids),
        target=target,
    )
    explained = (traced.explain_grad if grad else traced.explain)(name, **places)
    if json:
        output.write_json(as_data(explained, depth, None if every else TO_PROGRAMS))
    else:
        shown = None if every else SHOWN
        output.show(explanation_blocks(explained, depth=depth, shown=shown))


def as_data(explanation: Explanation, depth: int, limit: int | None) -> dict[str, Any]:
    """An explanation, and those of its operands down to a depth, each cell once."""
    met: set[tuple[str, str, tuple[int, ...]]] = set()

    def unfold(each: Explanation, left: int) -> dict[str, Any]:
        data = each.to_dict(limit)
        key = (each.kind, each.name, each.index)
        if left and key not in met:
            met.add(key)
            below = [e for e, _ in zip(each.operands(), range(limit or 2**63), strict=False)]
            data["operands"] = [unfold(operand, left - 1) for operand in below]
        return data

    return unfold(explanation, depth)
