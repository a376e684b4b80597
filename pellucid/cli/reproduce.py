"""`pellucid reproduce`: two published models against the figures that were printed of them."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli import options
from pellucid.errors import PellucidError, did_you_mean

if TYPE_CHECKING:
    from pellucid.interop.lesson_3_figures import Figure, Reproduction, Variation
    from pellucid.interop.notebook import NotebookTraining

STACK, GROOT = "lesson-3", "baby-groot"


def reproduce(
    what: Annotated[
        str | None,
        typer.Argument(metavar="WHAT", help=f"{STACK} or {GROOT}; both unless given."),
    ] = None,
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
    threads: Annotated[
        int | None,
        typer.Option("--threads", metavar="N", help="Train BabyGroot with so many instead of 2."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Hold two published models against their printed figures.

    The decoder-only stack: the lesson as printed, then its three exercises (six blocks, a batch of
    four, a tied head); with --blocks, --batch or --tied that one variation. BabyGroot: trained with
    torch as in its notebook, its ten losses beside ours. Ends with 1 where a figure does not agree.
    """
    from pellucid.cli.output import show, write_json
    from pellucid.views.lesson_3 import reproduction_blocks
    from pellucid.views.notebook import absent_blocks, notebook_blocks

    one = tied or blocks is not None or batch is not None
    check_together(what, of_stack=one or same_ids, of_groot=threads is not None)
    stack, groot = what != GROOT, what != STACK and not one
    variations = chosen(blocks=blocks, batch=batch, tied=tied, same_ids=same_ids) if stack else ()
    found = [of_stack(variation) for variation in variations]
    if not json:
        show([block for each in found for block in reproduction_blocks(each)])
    training = of_groot(threads, needed=what == GROOT or threads is not None) if groot else None
    if json:
        trained = None if training is None else training_data(training)
        write_json({STACK: [as_data(each) for each in found], GROOT: trained})
    elif groot:
        show(absent_blocks() if training is None else notebook_blocks(training))
    if not all(each.agrees for each in found) or (training is not None and not training.is_near):
        raise typer.Exit(1)


def check_together(what: str | None, *, of_stack: bool, of_groot: bool) -> None:
    """Raise `PellucidError` for what there is not, and for options of the other model."""
    if what not in (None, STACK, GROOT):
        near = did_you_mean(what, (STACK, GROOT))
        raise PellucidError(f'There is no "{what}" to reproduce.{near} Give {STACK} or {GROOT}.')
    if what == GROOT and of_stack:
        raise PellucidError(
            f"--blocks, --batch, --tied and --same-ids are of {STACK}, not {GROOT}."
        )
    if what == STACK and of_groot:
        raise PellucidError(f"--threads is of {GROOT}: {STACK} trains nothing.")


def of_stack(variation: Variation) -> Reproduction:
    """One variation of the decoder-only stack, run."""
    from pellucid.interop import lesson_3_figures

    return lesson_3_figures.reproduce(variation)


def of_groot(threads: int | None, *, needed: bool) -> NotebookTraining | None:
    """BabyGroot trained, with a bar while it lasts; None where torch is not there nor needed."""
    from pellucid.cli.progress import TrainingBar
    from pellucid.engine.find_torch import has_torch
    from pellucid.interop.notebook import THREADS, train_as_the_notebook
    from pellucid.training.recipes import RECIPES

    if not needed and not has_torch():
        return None
    with TrainingBar(RECIPES["notebook"].epochs) as bar:
        return train_as_the_notebook(THREADS if threads is None else threads, on_epoch=bar.update)


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


def training_data(found: NotebookTraining) -> dict[str, Any]:
    """A training as plain data."""
    return {
        "threads": found.threads,
        "torch": found.torch,
        "losses": [figure_data(figure) for figure in found.losses],
        "off_by": found.off_by,
        "loss_over_pairs": found.loss,
        "attention": figure_data(found.attention),
        "end": figure_data(found.end),
        "texts": found.texts,
        "agrees": found.is_near,
    }


def figure_data(figure: Figure) -> dict[str, Any]:
    """A figure with what follows from it."""
    return {**asdict(figure), "difference": figure.difference, "agrees": figure.agrees}
