"""A grid of small matrices, all to one scale: one image, with a gap between each two."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from pellucid.views.figures.captions import caption
from pellucid.views.figures.legend import draw_legend
from pellucid.views.figures.measure import Extent, room_of
from pellucid.views.figures.mosaic import Grid, draw_frames, draw_marks, draw_mosaic, step_of
from pellucid.views.figures.scales import Scale, draw_scale
from pellucid.views.figures.style import points
from pellucid.views.figures.text import LINE, label, width
from pellucid.views.figures.theme import Theme
from pellucid.views.figures.words import blank
from pellucid.views.panels import Panels

_LARGEST, _SMALLEST = 16.0, 1.4
"""The side of a matrix, in sizes of the text."""
_DOWN = 64.0
"""How high the grid is at most, unless its matrices would become smaller than the smallest."""
_BESIDE = 5.5
"""What the bar of colours takes at the right, in sizes of the text."""
_LEAST_CELL = 0.06
"""The smallest side of a cell, in sizes of the text: less could not be told apart."""
_LONGEST = 7.0
"""The longest name of a row or a token, in sizes of the text."""


def panels_extent(panels: Panels, room: float) -> Extent:
    """Large matrices where there are few; where there are many, small ones, to a limit."""
    down, across, _, _ = panels.shape
    size = points()
    left = _side(panels, _LARGEST * size)
    widest = (room - left - _BESIDE * size) / across
    step = min(max(min(widest, _DOWN / down * size, _LARGEST * size), _SMALLEST * size), widest)
    return Extent(left + step * across, step * down + LINE * size, left + 1.2 * size * across)


def draw_panels(panels: Panels, axes: Axes, theme: Theme) -> None:
    """Draw all matrices as one image, what is forbidden in each hatched, with one bar of colours.

    Matrices of more cells than could be seen are reduced, and the note says how.
    """
    blank(axes)
    grid = _fitting(panels, axes)
    most = max(int(grid.side / (_LEAST_CELL * points())), 2)
    small = panels.reduced(most, most)
    scale = Scale.of(panels.kind, np.array([_lowest(panels)]), theme, panels.limit)
    draw_mosaic(small, grid, scale, axes)
    entries = draw_marks(small, grid, axes, theme)
    draw_frames(small, grid, axes, theme)
    _draw_names(panels, grid, axes, theme)
    _draw_tokens(panels, grid, axes, theme)
    draw_scale(scale, axes, theme, end=grid.corner(0, panels.shape[1] - 1)[0] + grid.side)
    if entries:
        draw_legend(entries, axes, theme)
    words = f"In each, {panels.inner_rows.dim} down and {panels.inner_columns.dim} across."
    caption(axes, theme, panels.title, note=" ".join(filter(None, [words, small.note])))


def _lowest(panels: Panels) -> float:
    """The smallest finite number; 0 where there is none below."""
    return min(float(array[np.isfinite(array)].min(initial=0.0)) for array in panels.values)


def _fitting(panels: Panels, axes: Axes) -> Grid:
    """The largest squares that the axes hold, with the names of rows and columns."""
    down, across, _, _ = panels.shape
    room, height = room_of(axes)
    left, top = _side(panels, room / across), LINE * points()
    step = step_of(panels)
    sides = (room - left) / (1 + (across - 1) * step), (height - top) / (1 + (down - 1) * step)
    return Grid(left, top, min(sides), min(sides) * step)


def _side(panels: Panels, step: float) -> float:
    """What the names of the rows take at the left, and the tokens where matrices are so large."""
    size = points("small")
    widest = _widest(panels.row_names)
    if _tokens_fit(panels, step):
        widest += _widest(panels.inner_rows.labels or ()) + 0.6 * size
    return widest + 0.6 * size


def _widest(names: tuple[str, ...]) -> float:
    size = points("small")
    return max((width(label(name, _LONGEST * size, size), size) for name in names), default=0.0)


def _tokens_fit(panels: Panels, side: float) -> bool:
    """Whether each token has a line of its own beside a matrix of that side."""
    most = max(panels.shape[2:])
    return panels.inner_rows.labels is not None and side / most >= LINE * points()


def _draw_tokens(panels: Panels, grid: Grid, axes: Axes, theme: Theme) -> None:
    """Write the tokens at the left of the grid and below it, where the matrices are large."""
    down, across, rows, columns = panels.shape
    if not _tokens_fit(panels, grid.side):
        return
    size = points("small")
    look: dict[str, Any] = {"fontsize": size, "color": theme.quiet}
    for row in range(down):
        x, y = grid.corner(row, 0)
        for place, name in enumerate(panels.inner_rows.labels or ()):
            middle = y + (place + 0.5) * grid.side / rows
            text = label(name, _LONGEST * size, size)
            axes.text(x - 0.6 * size, middle, text, ha="right", va="center_baseline", **look)
    cell = grid.side / columns
    names = [label(name, _LONGEST * size, size) for name in panels.inner_columns.labels or ()]
    upright = max(width(name, size) for name in names) > cell - 0.4 * size
    for column in range(across):
        x, y = grid.corner(down - 1, column)
        for place, name in enumerate(names):
            axes.text(
                x + (place + 0.5) * cell, y + grid.side + 0.4 * size, name, ha="center", va="top",
                rotation=90 if upright else 0, **look,
            )  # fmt: skip


def _draw_names(panels: Panels, grid: Grid, axes: Axes, theme: Theme) -> None:
    """Name the rows at the left and the columns above; every k-th where there is no room.

    Names of columns that are too long give way to indices.
    """
    size = points("small")
    look: dict[str, Any] = {"fontsize": size, "color": theme.ink}
    down, across, _, _ = panels.shape
    for row in range(0, down, ceil(LINE * size / grid.step)):
        y = grid.corner(row, 0)[1] + grid.side / 2
        text = label(panels.row_names[row], _LONGEST * size, size)
        axes.text(0, y, text, ha="left", va="center_baseline", **look)
    names = [label(name, _LONGEST * size, size) for name in panels.column_names]
    every = 1
    if max(width(name, size) for name in names) > grid.step - 0.3 * size:
        axes.text(0, 0, label(panels.columns.dim, grid.left, size), va="top", **look)
        names = list(map(str, range(across)))
        every = ceil((width(names[-1], size) + 0.3 * size) / grid.step)
    for column in range(0, across, every):
        x = grid.corner(0, column)[0] + grid.side / 2
        axes.text(
            x, 0, label(names[column], every * grid.step, size), ha="center", va="top", **look
        )
