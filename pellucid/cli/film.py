"""`pellucid film`: a training watched again, step by step, in pictures or as an animation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeGuard

import typer

from pellucid.cli import options
from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.training.film import Film
    from pellucid.training.film_trace import FilmTrace
    from pellucid.views.scene import Block

ANIMATIONS = (".gif", ".mp4")

Run = Annotated[
    str, typer.Argument(metavar="RUN", help="The folder of a run: pellucid train --film 10, say.")
]
Out = Annotated[
    str | None,
    typer.Option(
        "--out", metavar="FILE", help="Write .gif, .mp4 (with ffmpeg), .png, .svg or .pdf."
    ),
]
Steps = Annotated[
    str | None,
    typer.Option("--steps", metavar="LIST", help="Only these of the steps: --steps 0,100,500"),
]
Show = Annotated[
    list[str] | None,
    typer.Option(
        "--show", metavar="NAME", help="Show this tensor over the steps; may be repeated."
    ),
]
BlockOption = Annotated[
    int, typer.Option("--block", metavar="N", help="Whose pattern; -1 is the last.")
]
Head = Annotated[int, typer.Option("--head", metavar="N", help="Whose pattern within the block.")]
Frames = Annotated[
    int | None,
    typer.Option(
        "--frames", metavar="N", min=2, help="At most so many steps of an animation; 60 at first."
    ),
]
PerSecond = Annotated[
    int | None,
    typer.Option(
        "--per-second", metavar="N", min=1, help="Steps of an animation in a second; 10 at first."
    ),
]
Theme = Annotated[
    str | None,
    typer.Option("--theme", metavar="THEME", help="Of what --out writes: light, or dark."),
]


def film(
    run: Run,
    prompt: options.Prompt = None,
    ids: options.Ids = None,
    out: Out = None,
    steps: Steps = None,
    show: Show = None,
    block: BlockOption = 0,
    head: Head = 0,
    frames: Frames = None,
    per_second: PerSecond = None,
    theme: Theme = None,
    json: options.Json = False,
) -> None:
    """Watch a training again, step by step.

    RUN has kept its parameters on the way. Without a prompt: which steps there are, and the losses.
    With one: how embeddings moved, how a pattern formed, and how the next token became likely.
    """
    from pellucid.cli import output
    from pellucid.training.film import film as film_of
    from pellucid.views.film import film_blocks

    check_used(out, frames=frames, per_second=per_second, theme=theme)
    opened = film_of(run)
    if prompt is None and ids is None:
        if out is not None or show:
            raise PellucidError("A film is of a prompt: give one after the run.")
        if json:
            output.write_json(as_data(opened))
        else:
            output.show(film_blocks(opened))
        return
    watched = opened.trace(
        prompt,
        ids=options.read_ids(ids),
        names=needed(opened, show, block),
        steps=None if steps is None else options.read_ids(steps, "--steps", "step"),
    )
    theme = theme or "light"
    if is_animation(out):
        speed = {"frames": frames or 60, "per_second": per_second or 10}
        animate(watched, out, block=block, head=head, theme=theme, **speed)
        return
    if json:
        output.write_json(as_data(opened, watched, show))
        return
    blocks = shown(watched, show, block=block, head=head)
    if out is None:
        output.show(blocks)
        return
    from pellucid.views.figures import write_figure

    output.say(f"Written to {write_figure(blocks, out, theme=theme)}")


def is_animation(out: str | None) -> TypeGuard[str]:
    """Whether what is written moves."""
    return out is not None and Path(out).suffix.lower() in ANIMATIONS


def check_used(out: str | None, *, theme: str | None, **moving: int | None) -> None:
    """Refuse an option of a file that is not written."""
    if theme is not None and out is None:
        raise PellucidError("--theme is of what --out writes: give --out FILE.")
    for name, value in moving.items():
        if value is not None and not is_animation(out):
            option = "--" + name.replace("_", "-")
            raise PellucidError(f"{option} is of an animation: give --out FILE.gif or FILE.mp4.")


def needed(film: Film, show: list[str] | None, block: int) -> list[str]:
    """The tensors that have to be kept at every step."""
    from pellucid.views.catalogue.places import place

    at = place("block", block, film.config.n_layer)
    return [*(show or ()), f"blocks.{at}.attn.pattern", "probs"]


def shown(watched: FilmTrace, show: list[str] | None, *, block: int, head: int) -> list[Block]:
    """The tensors that were asked for, or the three views of a film."""
    from pellucid.views.catalogue import film as views
    from pellucid.views.summary import blocks_of

    if show:
        return [part for name in show for part in blocks_of(watched[name])]  # type: ignore[misc]
    return [
        *views.film_embeddings(watched),
        *views.film_pattern(watched, block=block, head=head),
        *views.film_probabilities(watched),
    ]


def animate(
    watched: FilmTrace,
    out: str,
    *,
    block: int,
    head: int,
    frames: int,
    per_second: int,
    theme: str,
) -> None:
    """Write the animation, with a bar while it lasts, and say where it is."""
    from pellucid.cli.output import say
    from pellucid.cli.progress import CountBar

    with CountBar("Drawing", "steps") as bar:
        path = watched.animate(
            out,
            block=block,
            head=head,
            frames=frames,
            per_second=per_second,
            theme=theme,
            on_frame=bar.update,
        )
    say(f"Written to {path}")


def as_data(
    film: Film, watched: FilmTrace | None = None, show: list[str] | None = None
) -> dict[str, Any]:
    """Steps and losses; of a prompt the tensors that were asked for, or the probabilities."""
    from dataclasses import asdict

    data = {
        "unit": film.unit,
        "steps": film.steps,
        "dtype": film.dtype,
        "losses": asdict(film.losses),
    }
    if watched is None:
        return data
    tensors = [watched[name] for name in show or ("probs",)]
    return data | {
        "steps": watched.steps,
        "ids": watched.ids,
        "tokens": watched.tokens,
        "tensors": [
            {
                "name": tensor.name,
                "dims": tensor.dims,
                "shape": tensor.shape,
                "labels": tensor.labels,
                "values": tensor.values,
            }
            for tensor in tensors
        ],
    }
