"""`pellucid trace`: what a model computed on its way through a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli import edits, options

if TYPE_CHECKING:
    from pellucid.trace.tensor import TracedTensor
    from pellucid.trace.trace import Trace

Names = Annotated[
    list[str] | None,
    typer.Option("--show", metavar="NAME", help="Show this tensor or parameter; may be repeated."),
]
Gradients = Annotated[
    list[str] | None,
    typer.Option(
        "--grad",
        metavar="NAME",
        help="Show the gradient of this tensor or parameter; needs --target, may be repeated.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="TOKEN",
        help='What should come next, for the loss and the gradients; "next": at every position.',
    ),
]
Save = Annotated[
    str | None,
    typer.Option("--save", metavar="FILE", help="Write the trace to a safetensors file as well."),
]


def trace(
    model: options.Model,
    prompt: options.Prompt = None,
    ids: options.Ids = None,
    show: Names = None,
    grad: Gradients = None,
    target: Target = None,
    edit: edits.Edits = None,
    save: Save = None,
    random: options.Random = None,
    dtype: options.EngineDtype = None,
    engine: options.Engine = "numpy",
    device: options.Device = "auto",
    json: options.Json = False,
) -> None:
    """Run a model over a prompt and show every tensor.

    Without --show: a table of all tensors, with dims, shape and what each of them is.
    """
    from pellucid.cli import output
    from pellucid.cli.models import open_model
    from pellucid.views.summary import blocks_of

    opened = open_model(model, random=random, dtype=dtype, engine=engine, device=device)
    shown = [opened.graph.resolve(name, or_parameter=True) for name in show or ()]
    traced = opened.trace(
        prompt,
        ids=options.read_ids(ids),
        target=target,
        edits=edits.read_edits(edit),
        # A long prompt leaves gigabytes behind: where tensors are named, keep no others.
        names=[n for n in shown if n not in opened.parameters] if show and not target else None,
    )
    if save is not None:
        traced.save(save)
    tensors = [*(traced[name] for name in show or ()), *(traced.grad[n] for n in grad or ())]
    if json:
        output.write_json(as_data(traced, tensors))
    else:
        output.show(blocks_of(tensors or traced))


def as_data(trace: Trace, tensors: list[TracedTensor]) -> dict[str, Any]:
    """The tensors that were asked for with their values; without any, all of them without."""
    return {
        "ids": trace.ids,
        "tokens": trace.tokens,
        "loss": None if trace.targets is None else trace.loss,
        **({"edits": [str(edit) for edit in trace.edits]} if trace.edits else {}),
        "tensors": [
            {
                "name": tensor.name,
                "dims": tensor.dims,
                "shape": tensor.shape,
                "title": tensor.title,
                "equation": tensor.equation,
                **({"labels": tensor.labels, "values": tensor.values} if tensors else {}),
            }
            for tensor in (tensors or [trace[name] for name in trace.names])
        ],
    }
