"""A matrix: coloured cells with their numbers, labelled with what stands along each side."""

from __future__ import annotations

from matplotlib.axes import Axes

from pellucid.views.figures.captions import caption
from pellucid.views.figures.cells import (
    HEIGHT,
    SIZES,
    cell_width,
    draw_cells,
    draw_numbers,
    fitting,
)
from pellucid.views.figures.measure import Extent, room_of
from pellucid.views.figures.reduction import Shown, edges, thinned
from pellucid.views.figures.scales import Scale, draw_scale
from pellucid.views.figures.sides import draw_sides, names_width, side_width
from pellucid.views.figures.signs import draw_signs
from pellucid.views.figures.style import points
from pellucid.views.figures.theme import Theme
from pellucid.views.matrix import Matrix

LEAST_CELL = 1 / 6
"""The smallest side of a coloured cell, in sizes of the text."""
ROW, SQUARE = 1.8, 0.5
"""The height of a row with numbers in sizes of the text; of a pattern's, in widths of its cells."""
CLOSE = 1.3
"""The height of the rows of numbers without colours, where not all of them are shown."""
TALLEST = 60.0
"""A matrix with numbers is no higher than so many sizes of the text."""
LARGEST_CELL = 1.4
"""The largest side of a cell without a number."""
HIGHEST, LOWEST = 45.0, 14.0
"""A matrix without numbers is no higher, and need not be higher than that."""
_SAMPLE = 40


def draw_matrix(matrix: Matrix, axes: Axes, theme: Theme) -> None:
    """Draw as much of the matrix as the axes have room for, with a bar of its colours.

    Cells that a causal mask forbids are hatched, numbers that are not finite have signs of their
    own, and a legend says so. What is left out is said below.
    """
    across, down = room_of(axes)
    shown = shown_in(matrix, across, down)
    cell = across / shown.values.shape[1], down / shown.values.shape[0]
    scale = Scale.of(matrix.kind, shown.values[~shown.gaps], theme, matrix.limit)
    draw_cells(shown, scale, cell, axes, theme)
    if numbers := fitting(shown.values, cell):
        draw_numbers(shown, numbers, scale, axes, theme)
    draw_sides(matrix, shown, cell, axes, theme)
    draw_scale(scale, axes, theme)
    draw_signs(shown, axes, theme)
    note = " ".join(words for words in (shown.note, matrix.note) if words)
    formula = matrix.equation
    caption(axes, theme, matrix.title, name=matrix.name, formula=formula, note=note or None)


def shown_in(matrix: Matrix, across: float, down: float) -> Shown:
    """The cells that so many points have room for: numbers at the edges, or colours throughout."""
    if matrix.kind in ("ids", "plain"):
        sample = edges(matrix, _SAMPLE, _SAMPLE).values
        high = CLOSE * points()
        wide = cell_width(sample, narrow=True)
        return edges(matrix, *(max(int(room + 0.01), 3) for room in (down / high, across / wide)))
    least = LEAST_CELL * points()
    return thinned(matrix, *(max(int(room / least + 0.01), 2) for room in (down, across)))


def matrix_extent(matrix: Matrix, room: float) -> Extent:
    """Cells with numbers where these fit into so many points, cells of colour otherwise."""
    size = points()
    rows, columns = matrix.values.shape
    beside = side_width(matrix) + (0 if matrix.kind in ("ids", "plain") else 5 * size)
    room = max(room - beside, 8 * size)
    narrow = cell_width(matrix.values, narrow=True)
    if matrix.kind in ("ids", "plain"):
        return _of_numbers(matrix, room, room)
    lowest = HEIGHT * SIZES[-1] * size
    if narrow and columns * narrow <= room and rows * lowest <= TALLEST * size:
        return _of_numbers(matrix, room, columns * narrow)
    side = min(room / columns, LARGEST_CELL * size)
    tallest = min(HIGHEST * size / rows, LARGEST_CELL * size)
    square = matrix.rows.dim == "query" and matrix.columns.dim == "key"
    high = min(side, tallest) if square else tallest
    across = columns * (high if square else side)
    least = LEAST_CELL * size
    across = max(across, 3 * size)
    down = max(rows * high, 3 * size if rows > 1 else high, least)
    return Extent(across, down, across / 2, lowest=min(LOWEST * size / down, 1.0))


def _of_numbers(matrix: Matrix, room: float, least: float) -> Extent:
    """Cells as wide as their numbers and labels, where there is room for both."""
    size = points()
    rows, columns = matrix.values.shape
    named = names_width(matrix) + 0.6 * size
    sample = edges(matrix, _SAMPLE, _SAMPLE).values if least == room else matrix.values
    best = cell_width(sample)
    cell = max(best, min(named, 7 * size))
    across = columns * (cell if columns * cell <= room else best)
    across = min(across, room)
    square = (matrix.rows.dim, matrix.columns.dim) == ("query", "key")
    row = max(ROW * size, SQUARE * across / columns) if square else ROW * size
    down = rows * row
    if matrix.kind in ("ids", "plain"):
        down = min(down, HIGHEST * size)
    elif down > TALLEST * size:
        down = min(rows * HEIGHT * SIZES[-1], TALLEST) * size
    return Extent(across, down, min(least, across))
