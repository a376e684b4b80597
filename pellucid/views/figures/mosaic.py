"""Many matrices as one image, with a gap between each two, and the signs on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.patches import Patch
from matplotlib.path import Path
from numpy.typing import NDArray

from pellucid.views.figures.legend import Entry
from pellucid.views.figures.scales import Scale
from pellucid.views.figures.signs import looks, runs
from pellucid.views.figures.style import points
from pellucid.views.figures.theme import Theme
from pellucid.views.panels import Panels

GAP = 0.12
"""Between two matrices, as a share of their side."""
PIXELS = 24
"""A matrix of fewer cells is drawn with several pixels a cell, for gaps of less than a cell."""


@dataclass(frozen=True)
class Grid:
    """Where the matrices are, in points from the top left: the first one, a side, and a step."""

    left: float
    top: float
    side: float
    step: float

    def corner(self, row: int, column: int) -> tuple[float, float]:
        """The top left corner of one of them."""
        return self.left + column * self.step, self.top + row * self.step


def step_of(panels: Panels) -> float:
    """From one matrix to the next, in sides of a matrix."""
    side = _pixels(panels)
    return 1 + round(GAP * side) / side


def mosaic(panels: Panels) -> np.ma.MaskedArray[Any, Any]:
    """All matrices as one array, each filling a square, with nothing between them.

    Returns:
        Pixels `[row, column]`; those between matrices and those of no finite number are masked.
    """
    down, across, rows, columns = panels.shape
    side = _pixels(panels)
    stride = side + round(GAP * side)
    whole = np.full((down * stride, across * stride), np.nan)
    for row, array in enumerate(panels.values):
        large = array[:, _spread(rows, side)][:, :, _spread(columns, side)]
        for column, matrix in enumerate(large):
            top, left = row * stride, column * stride
            whole[top : top + side, left : left + side] = matrix
    gap = stride - side
    return np.ma.masked_invalid(whole[: len(whole) - gap, : whole.shape[1] - gap])


def draw_mosaic(panels: Panels, grid: Grid, scale: Scale, axes: Axes) -> None:
    """Put the image where the grid is."""
    down, across, _, _ = panels.shape
    right, bottom = (edge + grid.side for edge in grid.corner(down - 1, across - 1))
    limits = axes.get_xlim(), axes.get_ylim()
    axes.imshow(
        mosaic(panels), cmap=scale.colours, norm=scale.norm, interpolation="nearest",
        aspect="auto", extent=(grid.left, right, bottom, grid.top),
    )  # fmt: skip
    axes.set_xlim(*limits[0])
    axes.set_ylim(*limits[1])


def draw_frames(panels: Panels, grid: Grid, axes: Axes, theme: Theme) -> None:
    """A thin line around each matrix."""
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * grid.side
    frames = PolyCollection(
        _everywhere(square, panels, grid),
        facecolors="none", edgecolors=theme.grid, linewidths=points() / 14, clip_on=False,
    )  # fmt: skip
    axes.add_collection(frames, autolim=False)


def draw_marks(panels: Panels, grid: Grid, axes: Axes, theme: Theme) -> list[Entry]:
    """Hatch the future of each matrix and give numbers that are not finite a sign of their own.

    Returns:
        What a legend is to say of them.
    """
    future, (hatched, *others) = panels.future, looks(theme)
    entries: list[Entry] = []
    if future.any():
        steps = _everywhere(_outline(future) * _cell(panels, grid), panels, grid)
        axes.add_collection(PolyCollection(steps, linewidths=0, **hatched), autolim=False)
        entries.append((Patch(linewidth=0, **hatched), "masked, as these tokens come later"))
    odd = (
        ("−∞", [np.isneginf(array) & ~future for array in panels.values]),
        ("+∞", [np.isposinf(array) for array in panels.values]),
        ("NaN: not a number", [np.isnan(array) for array in panels.values]),
    )
    for (name, cells), look in zip(odd, others, strict=True):
        if any(each.any() for each in cells):
            paths = PathCollection(_around(cells, panels, grid), linewidths=0, **look)
            axes.add_collection(paths, autolim=False)
            entries.append((Patch(linewidth=0, **look), name))
    return entries


def _outline(future: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The corners of what is hatched, in cells `[corner, 2]`: each row from some column on."""
    columns = future.shape[1]
    starts = columns - np.argmin(np.pad(future[:, ::-1], ((0, 0), (0, 1))), axis=1)
    steps = [(start, row + end) for row, start in enumerate(starts.tolist()) for end in (0, 1)]
    return np.array([(columns, 0), *steps, (columns, len(future))])


def _around(cells: list[NDArray[np.bool_]], panels: Panels, grid: Grid) -> list[Path]:
    """A path around such cells, `[column, inner row, inner column]` for each row of the grid."""
    cell, paths = _cell(panels, grid), []
    for row, column in _places(panels):
        if cells[row][column].any():
            path = runs(cells[row][column])
            vertices = grid.corner(row, column) + (np.asarray(path.vertices) + 0.5) * cell
            paths.append(Path(vertices, path.codes))
    return paths


def _everywhere(shape: NDArray[Any], panels: Panels, grid: Grid) -> list[NDArray[Any]]:
    """A polygon `[corner, 2]` in each matrix."""
    corners = np.array([grid.corner(*place) for place in _places(panels)])
    return list(corners[:, None] + shape)


def _cell(panels: Panels, grid: Grid) -> NDArray[Any]:
    """How wide and how high a cell is."""
    _, _, rows, columns = panels.shape
    return np.array([grid.side / columns, grid.side / rows])


def _places(panels: Panels) -> list[tuple[int, int]]:
    """Rows and columns of the grid, row by row."""
    down, across, _, _ = panels.shape
    return [(row, column) for row in range(down) for column in range(across)]


def _pixels(panels: Panels) -> int:
    """The side of a matrix in pixels: as many times its longer side as are needed."""
    longer = max(panels.shape[2:])
    return longer * -(-PIXELS // longer)


def _spread(count: int, size: int) -> NDArray[np.intp]:
    """For each of `size` places, which of `count` things is there."""
    return np.arange(size) * count // size
