"""`pellucid explain`: where one number came from, or its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli import edits, options
from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.trace.explanation import Explanation, Key

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
    edit: edits.Edits = None,
    ids: options.Ids = None,
    random: options.Random = None,
    dtype: options.Dtype = None,
    json: options.Json = False,
) -> None:
    """Show where one number came from, down to weights and ids.

    Prints its formula, its operands with what each adds, and what these were made of in turn.
    With --ids give an empty prompt: pellucid explain MODEL "" CELL --ids 1,11,3,8
    """
    from pellucid.cli import output
    from pellucid.cli.models import open_model
    from pellucid.views.explanation import SHOWN, explanation_blocks

    if grad and target is None:
        raise PellucidError("A gradient is of a loss: add --target TOKEN, or --target next.")
    opened = open_model(model, random=random, dtype=dtype)
    traced = opened.trace(
        None if ids is not None and not prompt else prompt,
        ids=options.read_ids(ids),
        target=options.read_target(target, words=opened.tokenizer is not None),
        edits=edits.read_edits(edit),
    )
    shown = None if every else SHOWN
    explained = (traced.explain_grad if grad else traced.explain)(cell)
    if json:
        output.write_json(as_data(explained, depth, shown))
    else:
        output.show(explanation_blocks(explained, depth=depth, shown=shown))


def as_data(explanation: Explanation, depth: int, limit: int | None) -> dict[str, Any]:
    """An explanation, and those of its operands down to a depth, each cell once."""
    met: set[Key] = set()

    def unfold(each: Explanation, left: int) -> dict[str, Any]:
        data = each.to_dict(limit)
        if left and each.key not in met:
            met.add(each.key)
            data["operands"] = [unfold(operand, left - 1) for operand in each.operands(limit)]
        return data

    return unfold(explanation, depth)
