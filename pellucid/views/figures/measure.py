"""Distances on a figure, in points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation, Transform

from pellucid.views.figures.sizes import POINTS


@dataclass(frozen=True)
class Margins:
    """How far what belongs to axes reaches beyond them: labels, titles, legends, notes."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def across(self) -> float:
        return self.left + self.right

    @property
    def down(self) -> float:
        return self.top + self.bottom


@dataclass(frozen=True)
class Extent:
    """How large axes are to be: their best size, and the least width in which they can be read.

    `lowest` is the share of the height that it can do with. The height of `words` is what they
    need, and is never changed; that of what is `square` follows the width.
    """

    width: float
    height: float
    least: float
    words: bool = False
    lowest: float = 0.55
    square: bool = False


def figure_of(axes: Axes) -> Figure:
    """The figure that axes are on, the outermost one."""
    return cast(Figure, axes.get_figure(root=True))


def room_of(axes: Axes) -> tuple[float, float]:
    """Width and height of the axes."""
    scale = POINTS / figure_of(axes).dpi
    return float(axes.bbox.width * scale), float(axes.bbox.height * scale)


def margins_of(axes: Axes) -> Margins:
    """What lies around the axes as they are now."""
    dpi = figure_of(axes).dpi
    inner, outer = axes.bbox, axes.get_tightbbox(renderer(dpi))
    if outer is None:
        return Margins(0.0, 0.0, 0.0, 0.0)
    scale = POINTS / dpi
    sides = (
        inner.x0 - outer.x0,
        outer.y1 - inner.y1,
        outer.x1 - inner.x1,
        inner.y0 - outer.y0,
    )
    return Margins(*(max(float(side) * scale, 0.0) for side in sides))


def moved(axes: Axes, right: float, up: float) -> Transform:
    """Places on the axes, (0, 0) to (1, 1), moved by so many points, however large these are."""
    inches = figure_of(axes).dpi_scale_trans
    return axes.transAxes + ScaledTranslation(right / POINTS, up / POINTS, inches)


@lru_cache
def renderer(dpi: float) -> RendererAgg:
    """One that draws nothing, to measure with."""
    return RendererAgg(8, 8, dpi)  # type: ignore[no-untyped-call]
