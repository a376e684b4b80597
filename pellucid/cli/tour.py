"""`pellucid tour`: a small model, trained and walked through in the terminal and on a page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid import __version__
from pellucid.cli import options
from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.views.scene import Scene

LINES = 24
"""Of one matrix or table: all that the embedded corpus has words."""


def tour(
    prompt: Annotated[
        str | None,
        typer.Option("--prompt", metavar="TEXT", help='The text to follow; "i am groot" at first.'),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus", metavar="FILE", help="Train on this text instead, a sentence on each line."
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="MODEL", help="Walk through this model; needs --prompt."),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option("--part", metavar="N", help="Show this part alone, 1 to 7; or part why."),
    ] = None,
    encoding: Annotated[
        str, typer.Option("--encoding", metavar="NAME", help="Of the corpus; utf-8 unless given.")
    ] = "utf-8",
    seed: options.Seed = 0,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Write it to be read or printed, and show nothing here."
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--page", metavar="FILE", help="Where the page of the tour goes; tour.html at first."
        ),
    ] = None,
    no_page: Annotated[bool, typer.Option("--no-page", help="End without that page.")] = False,
) -> None:
    """Train a small model and walk through it, number by number.

    The model is trained on 19 sentences, or on your own, and followed in seven parts: data,
    training, embeddings, attention, the block, prediction, and how a text grows. Or give a model
    that there is: with --corpus too, if that is what it was trained on, sentence by sentence. Part
    why, shown by itself, trains an RNN and an LSTM beside it; that needs PyTorch.

    The whole tour ends with a page on which the model is live beside the chapters, and every number
    answers: one file, which opens in the browser where there is a display. The one that --html
    writes instead holds still.
    """
    from pellucid.cli.models import open_model
    from pellucid.cli.output import say, show
    from pellucid.cli.progress import TrainingBar
    from pellucid.cli.tour_page import check_named, end_with_page
    from pellucid.tour.tour import prepare, scenes
    from pellucid.training.recipes import RECIPES

    if model is not None and prompt is None:
        raise PellucidError("Give a text to follow through the model: --prompt TEXT")
    if html is not None:
        check(html)
    if no_page and page is not None:
        raise PellucidError("--page FILE and --no-page: leave one of them out.")
    check_named(page, part)
    opened = None if model is None else open_model(model)
    bars = (TrainingBar(RECIPES[name].epochs) for name in ("default", "notebook"))
    with next(bars) as bar, next(bars) as notebook_bar:
        lesson = prepare(
            prompt,
            corpus,
            seed=seed,
            model=opened,
            encoding=encoding,
            on_epoch=bar.update,
            on_notebook=notebook_bar.update,
        )
        chapters = []
        for scene in scenes(lesson, as_part(part)):
            chapters.append(scene)
            if html is None:
                show([scene], lines=LINES)
                say("")
    if html is not None:
        say(f"Wrote {write(chapters, html, seed if opened is None else None)}")
    if page is not None or (html is None and part is None and not no_page):
        end_with_page(lesson, chapters, page, title=title(model, corpus))


def title(model: str | None, corpus: str | None) -> str:
    """What the model is called on the page: by where it comes from."""
    return Path(model or corpus or "The tour's model").name


def as_part(part: str | None) -> int | str | None:
    """A part as it is typed: a number, or a name."""
    return int(part) if part is not None and re.fullmatch(r"\d{1,9}", part, re.ASCII) else part


def check(path: Path) -> None:
    """Say now, not after the trainings, that the page cannot be written."""
    from pellucid.views.html.page import check_page

    check_page(path)


def write(scenes: list[Scene], path: Path, seed: int | None) -> Path:
    """Write scenes as a page; returns its path."""
    from pellucid.views.html.page import write_page

    how = "" if seed is None else f", with seed {seed}"
    return write_page(scenes, path, note=f"Made by Pellucid {__version__}{how}.")
