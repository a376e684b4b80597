"""An animation of a training: the same four pictures at every step, by matplotlib's writers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path

from matplotlib.animation import AbstractMovieWriter, FFMpegWriter
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pellucid.errors import PellucidError, check_whole
from pellucid.files import write_whole
from pellucid.training.film_trace import FilmTrace
from pellucid.views.catalogue.film import (
    embeddings,
    evenly,
    loss_so_far,
    pattern_at,
    patterns,
    probabilities_at,
)
from pellucid.views.catalogue.places import quoted
from pellucid.views.figures.draw import draw
from pellucid.views.figures.gif import GifWriter
from pellucid.views.figures.layout import BESIDE, EDGE
from pellucid.views.figures.measure import Margins, margins_of
from pellucid.views.figures.picture import SETTINGS, Picture
from pellucid.views.figures.sizes import POINTS, Size
from pellucid.views.figures.style import held, points, style
from pellucid.views.figures.theme import Theme
from pellucid.views.figures.theme import theme as theme_of
from pellucid.views.scene import Block, Heading

WIDTH, HEIGHT = 9.6, 5.4
SIZE = Size("film", width=WIDTH, text=9.0, height=HEIGHT)
DOTS_PER_INCH = 100
"""960 by 540 pixels."""
TOP, LEFT = 0.09, 0.58
"""The share of the height that the heading has, and of the width that the left pictures have."""
CELLS = (
    (0.0, 0.0, 1.0, TOP),
    (0.0, TOP, LEFT, 0.6),
    (LEFT, TOP, 1.0, 0.55),
    (0.0, 0.6, LEFT, 1.0),
    (LEFT, 0.55, 1.0, 1.0),
)
"""Where each picture is: left, top, right and bottom, as shares of the whole."""
ENDINGS = (".gif", ".mp4")
LAST = 1.0
"""Seconds for which the last step stays."""


def to_animation(
    watched: FilmTrace,
    path: str | PathLike[str],
    *,
    block: int = 0,
    head: int = 0,
    theme: str | Theme = "light",
    frames: int = 60,
    per_second: int = 10,
    on_frame: Callable[[int, int], object] | None = None,
) -> Path:
    """Write a film as GIF or MP4; arguments and errors as `FilmTrace.animate`."""
    path = Path(path)
    check_whole("frames", frames, 2)
    check_whole("per_second", per_second, 1)
    look = theme_of(theme)
    writer = writer_for(path, per_second, look)
    patterns(watched, block, head)  # Before anything is drawn: whether there is such a head.
    places = evenly(len(watched.steps), frames)
    scene = partial(frame_blocks, watched, block=block, head=head)
    figure = laid_out([scene(place) for place in (places[0], places[-1])], look)

    def fill(draft: Path) -> None:
        # Writers go by the ending of a name.
        named = draft.with_name(f"{draft.name}{path.suffix.lower()}")
        try:
            with held(SETTINGS), writer.saving(figure, str(named), DOTS_PER_INCH):
                for count, place in enumerate(places, start=1):
                    redraw(figure, scene(place), look)
                    writer.grab_frame()
                    if on_frame is not None:
                        on_frame(count, len(places))
                if not isinstance(writer, GifWriter):
                    for _ in range(round(LAST * per_second) - 1):
                        writer.grab_frame()
            named.replace(draft)
        finally:
            named.unlink(missing_ok=True)

    try:
        write_whole(path, fill)
    except OSError as error:
        raise PellucidError(f"{path} cannot be written: {error.strerror or error}.") from None
    return path


def writer_for(path: Path, per_second: int, theme: Theme) -> AbstractMovieWriter:
    """The writer that a file's ending asks for.

    Raises:
        PellucidError: it asks for none, or for one that is not installed.
    """
    if path.suffix.lower() not in ENDINGS:
        raise PellucidError(f"{path} has no ending of an animation: give .gif or .mp4.")
    if path.suffix.lower() == ".gif":
        return GifWriter(theme, fps=per_second, last=LAST)
    if not FFMpegWriter.isAvailable():
        raise PellucidError(f"{path} takes ffmpeg, which is not installed: give .gif instead.")
    return FFMpegWriter(fps=per_second)


def frame_blocks(watched: FilmTrace, place: int, *, block: int, head: int) -> tuple[Block, ...]:
    """What is shown of one place of the film: embeddings, a pattern, the next token, the loss."""
    film, step = watched.film, watched.steps[place]
    return (
        Heading(f"“{quoted(watched.tokens)}”, {film.unit} {step:,} of {film.steps[-1]:,}", level=2),
        embeddings(watched, place),
        pattern_at(watched, place, block, head),
        loss_so_far(film, step),
        probabilities_at(watched, place),
    )


def laid_out(scenes: Sequence[Sequence[Block]], theme: Theme) -> Figure:
    """A figure with axes for each picture, as large as their cells and the words around allow.

    `scenes` are some of those that are to be drawn into it.
    """
    with style(theme, SIZE):
        figure = Picture(figsize=(WIDTH, HEIGHT), facecolor=theme.paper)
        for cell, alike in zip(CELLS, zip(*scenes, strict=True), strict=True):
            axes = figure.add_axes((0.2, 0.2, 0.2, 0.2))
            # What words take depends a little on the room that they leave.
            for _ in range(2):
                fit(axes, cell, [around(block, axes, theme) for block in alike])
    return figure


def around(block: Block, axes: Axes, theme: Theme) -> Margins:
    """What a block's words take around the axes as they are."""
    axes.clear()
    draw(block, axes, theme)
    return margins_of(axes)


def fit(axes: Axes, cell: tuple[float, float, float, float], taken: Sequence[Margins]) -> None:
    """Have axes fill a cell, but for what words take around them."""
    across, down = WIDTH * POINTS, HEIGHT * POINTS
    edge, gap = EDGE * points(), BESIDE * points() / 2
    sides = ("left", "top", "right", "bottom")
    around = Margins(*(max(getattr(each, side) for each in taken) for side in sides))
    left, top, right, bottom = cell
    left = left * across + (gap if left else edge) + around.left
    right = right * across - (gap if right < 1 else edge) - around.right
    top = top * down + (gap / 2 if top else edge) + around.top
    bottom = bottom * down - (gap / 2 if bottom < 1 else edge) - around.bottom
    wide, high = max(right - left, points()), max(bottom - top, points())
    axes.set_position((left / across, 1 - (top + high) / down, wide / across, high / down))


def redraw(figure: Figure, blocks: Sequence[Block], theme: Theme) -> None:
    """Draw other blocks of the same kinds into the axes that there are; nothing else moves."""
    with style(theme, SIZE):
        for axes, block in zip(figure.axes, blocks, strict=True):
            axes.clear()
            draw(block, axes, theme)
