"""`pellucid pairs`: what differs between two prompts, token by token and tensor by tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli import options

if TYPE_CHECKING:
    from pellucid.analysis.pair import PairedTensor

A = Annotated[str | None, typer.Argument(metavar="A", help="A text to read.")]
B = Annotated[str | None, typer.Argument(metavar="B", help="Another.")]
Ids = Annotated[
    list[str] | None,
    typer.Option("--ids", metavar="LIST", help="Token ids instead, for A and again for B."),
]
Names = Annotated[
    list[str] | None,
    typer.Option("--show", metavar="NAME", help="Show this tensor of both; may be repeated."),
]


def pairs(
    model: options.Model,
    a: A = None,
    b: B = None,
    ids: Ids = None,
    show: Names = None,
    random: options.Random = None,
    dtype: options.EngineDtype = None,
    engine: options.Engine = "numpy",
    device: options.Device = "auto",
    json: options.Json = False,
) -> None:
    """Show what differs between two prompts, token by token.

    Tokens are aligned by their ids. Without --show: the tokens side by side, how far apart each
    step and the residual stream are, and what comes next. With it: tensors of both, and b − a.
    """
    from pellucid.analysis.pairs import pair
    from pellucid.cli import output
    from pellucid.cli.models import open_model
    from pellucid.views.summary import blocks_of

    prompts = options.read_two_prompts(a, b, ids, usage="pellucid pairs MODEL A B")
    opened = open_model(model, random=random, dtype=dtype, engine=engine, device=device)
    # A long prompt leaves gigabytes behind: where tensors are named, keep no others.
    found = pair(opened, *prompts, names=show)
    tensors = [found[name] for name in show or ()]
    if json:
        output.write_json([tensor_data(each) for each in tensors] if show else found.to_dict())
    else:
        output.show(blocks_of(tensors or found))


def tensor_data(paired: PairedTensor) -> dict[str, Any]:
    """A tensor of both prompts with its values, and the difference where both have a token."""
    return {
        "name": paired.name,
        "dims": paired.a.dims,
        **{
            side: {"shape": each.shape, "labels": each.labels, "values": each.values}
            for side, each in (("a", paired.a), ("b", paired.b), ("b - a", paired.difference))
        },
    }
