"""Curves as pictures, drawn by matplotlib, which is loaded when the first is asked for.

No window is opened and nothing global is touched: a figure belongs to whoever asked for it.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from pellucid.errors import PellucidError
from pellucid.files import write_whole
from pellucid.views.scene import Curve, Level

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INCHES = (7.0, 4.2)
DOTS_PER_INCH = 150
COLOURS = ("#1a6fc4", "#c2570c", "#7a4fd0")
"""Blue against orange holds for every common kind of colour blindness."""
QUIET = "#6b6b6b"


def draw_figure(curve: Curve) -> Figure:
    """A curve with named axes; each level is a dashed line with its name and number beside it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=INCHES, layout="constrained")
    axes = figure.subplots()
    for place, series in enumerate(curve.series):
        axes.plot(
            series.x if series.x is not None else range(len(series.y)),
            series.y,
            color=COLOURS[place % len(COLOURS)],
            label=series.name,
        )
    for level in curve.levels:
        draw_level(axes, level)
    axes.set_title(curve.title, loc="left")
    if curve.note:
        figure.supxlabel(curve.note, color=QUIET, fontsize="small")
    axes.set_xlabel(curve.x_label)
    axes.set_ylabel(curve.y_label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0)
    axes.legend(frameon=False)
    return figure


def draw_level(axes: Axes, level: Level) -> None:
    """A line across, its name at the right."""
    axes.axhline(level.y, color=QUIET, linestyle="--", linewidth=0.8)
    axes.annotate(
        f"{level.name} {level.y:.3f}",
        (1, level.y),
        xycoords=("axes fraction", "data"),
        xytext=(4, 0),
        textcoords="offset points",
        color=QUIET,
        va="center",
    )


def write_figure(curve: Curve, path: str | PathLike[str]) -> Path:
    """Write the picture of a curve as PNG; returns its path.

    Raises:
        PellucidError: it cannot be written.
    """
    figure, path = draw_figure(curve), Path(path)
    try:
        write_whole(path, lambda draft: figure.savefig(draft, format="png", dpi=DOTS_PER_INCH))
    except OSError as error:
        raise PellucidError(f"{path} cannot be written: {error.strerror or error}.") from None
    return path
