"""`pellucid trace`: what a model computed on its way through a prompt."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli import edits, options
from pellucid.decoder.names import edited

if TYPE_CHECKING:
    from pellucid.decoder.graph import Graph
    from pellucid.trace.edits import Edit
    from pellucid.trace.prediction_shift import PredictionShift
    from pellucid.trace.tensor import TracedTensor
    from pellucid.trace.trace import Trace
    from pellucid.views.scene import Block

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

    Without --show: a table of all tensors, with dims, shape and what each of them is. With --edit
    it ends with what comes next, before the edits and after.
    """
    from pellucid.cli import output
    from pellucid.cli.models import open_model
    from pellucid.trace.prediction_shift import prediction_shift
    from pellucid.views.edits import said_below
    from pellucid.views.summary import blocks_of

    opened = open_model(model, random=random, dtype=dtype, engine=engine, device=device)
    shown = [resolve(opened.graph, name) for name in show or ()]
    changes = edits.read_edits(edit)
    traced = opened.trace(
        prompt,
        ids=options.read_ids(ids),
        target=options.read_target(target, words=opened.tokenizer is not None),
        edits=changes,
        # A long prompt leaves gigabytes behind: where tensors are named, keep no others.
        names=to_keep(shown, opened.parameters, changes) if show and not target else None,
    )
    if save is not None:
        traced.save(save)
    tensors = [*(traced[name] for name in show or ()), *(traced.grad[n] for n in grad or ())]
    unedited = opened.trace(ids=traced.ids, names=["logits"]) if changes else None
    shift = None if unedited is None else prediction_shift(unedited, traced)
    if json:
        output.write_json(as_data(traced, tensors, shift))
    else:
        # A table of all tensors says itself what was edited.
        said = said_below(traced) if tensors else ()
        output.show((*blocks_of(tensors or traced), *said, *what_comes_next(shift)))


def resolve(graph: Graph, name: str) -> str:
    """The own name of a tensor or parameter, or of what a tensor was before an edit."""
    base = edited(name)
    return graph.resolve(base, or_parameter=True) + name.removeprefix(base)


def to_keep(shown: list[str], parameters: Container[str], changes: Sequence[Edit]) -> list[str]:
    """The tensors that are shown, and what says what comes next after an edit."""
    names = [name for name in shown if name not in parameters]
    return [*names, "logits"] if changes and "logits" not in names else names


def what_comes_next(shift: PredictionShift | None) -> tuple[Block, ...]:
    """The same before the edits and after, where there are any."""
    from pellucid.views.prediction_shift import shift_blocks
    from pellucid.views.scene import Heading

    return () if shift is None else (Heading("What comes next", level=3), *shift_blocks(shift))


def as_data(
    trace: Trace, tensors: list[TracedTensor], shift: PredictionShift | None
) -> dict[str, Any]:
    """The tensors that were asked for with their values; without any, all of them without."""
    return {
        "ids": trace.ids,
        "tokens": trace.tokens,
        "loss": None if trace.targets is None else trace.loss,
        **({"edits": [str(edit) for edit in trace.edits]} if trace.edits else {}),
        **({"shift": asdict(shift)} if shift is not None else {}),
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
