"""`pellucid reproduce`: the decoder-only stack against its printed figures."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli import options

if TYPE_CHECKING:
    from pellucid.interop.lesson_3_figures import Figure, Reproduction, Variation


def reproduce(
    blocks: Annotated[
        int | None, typer.Option("--blocks", metavar="N", help="So many blocks instead of 2.")
    ] = None,
    batch: Annotated[
        int | None, typer.Option("--batch", metavar="N", help="So many texts instead of 1.")
    ] = None,
    tied: Annotated[
        bool, typer.Option("--tied", help="The head is the token embedding, transposed.")
    ] = False,
    same_ids: Annotated[
        bool,
        typer.Option("--same-ids", help="Read the printed ids, also where others would be drawn."),
    ] = False,
    json: options.Json = False,
) -> None:
    """Hold the decoder-only stack against its printed figures.

    Without an option: the lesson as printed, then its three exercises (six blocks, a batch of four,
    a tied head). With options: that one variation. Ends with 1 where a figure does not agree.
    """
    from pellucid.cli.output import show, write_json
    from pellucid.interop import lesson_3_figures
    from pellucid.views.lesson_3 import reproduction_blocks

    variations = chosen(blocks=blocks, batch=batch, tied=tied, same_ids=same_ids)
    found = [lesson_3_figures.reproduce(variation) for variation in variations]
    if json:
        write_json([as_data(each) for each in found])
    else:
        show([block for each in found for block in reproduction_blocks(each)])
    if not all(each.agrees for each in found):
        raise typer.Exit(1)


def chosen(
    *, blocks: int | None, batch: int | None, tied: bool, same_ids: bool
) -> tuple[Variation, ...]:
    """The one variation that the options describe; without them the lesson and its exercises."""
    from pellucid.interop.lesson_3_figures import EXERCISES, Variation

    sizes = {"n_layer": blocks, "batch": batch}
    changes = {name: size for name, size in sizes.items() if size is not None}
    if changes or tied:
        return (Variation(**changes, tied_head=tied, same_ids=same_ids),)
    return tuple(replace(each, same_ids=same_ids and each.batch == 1) for each in EXERCISES)


def as_data(found: Reproduction) -> dict[str, Any]:
    """The same as plain data."""
    stages = [
        {"tensor": stage.tensor, "dims": stage.dims, **figure_data(stage.shape)}
        for stage in found.stages
    ]
    return {
        "variation": asdict(found.variation),
        "ids": found.ids,
        "logits": found.logits,
        "stages": stages,
        "figures": [figure_data(figure) for figure in found.figures],
        "agrees": found.agrees,
    }


def figure_data(figure: Figure) -> dict[str, Any]:
    """A figure with what follows from it."""
    return {**asdict(figure), "difference": figure.difference, "agrees": figure.agrees}
