"""A matrix: coloured cells with their numbers, labelled with what stands along each side."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from matplotlib.axes import Axes
from numpy.typing import NDArray

from pellucid.views.figures.captions import caption
from pellucid.views.figures.cells import (
    HEIGHT,
    SIZES,
    Numbers,
    cell_width,
    draw_cells,
    draw_numbers,
    fitting,
    lettering,
    word_width,
)
from pellucid.views.figures.measure import Extent, room_of
from pellucid.views.figures.reduction import Shown, edges, thinned
from pellucid.views.figures.scales import Scale, draw_scale
from pellucid.views.figures.sides import BETWEEN, SMALLEST, draw_sides, names_width, side_width
from pellucid.views.figures.signs import draw_signs
from pellucid.views.figures.style import points
from pellucid.views.figures.theme import Theme
from pellucid.views.figures.words import blank
from pellucid.views.matrix import Matrix

ROW, SQUARE = 1.8, 0.5
"""The height of a row with numbers in sizes of the text; of a pattern's, in widths of its cells."""
CLOSE = 1.3
"""The height of a row of numbers without colours, where not all rows are shown."""
WIDEST_CELL = 7.0
"""A cell is not made wider for the sake of its label."""
TALLEST = 60.0
"""A matrix with numbers is no higher than so many sizes of the text."""
LEAST_CELL, LARGEST_CELL = 1 / 6, 1.4
"""The sides of a cell of colour alone."""
HIGHEST, LOWEST, NARROWEST = 45.0, 14.0, 12.0
"""A matrix without numbers in all its cells is no higher, and need be no higher and no wider."""
MANY = 24
"""A matrix of more rows gives up its numbers before it stands in a line of its own."""
SLENDER = 2.0
"""A matrix of colours is no higher than so many times its width."""
_LEAST, _BAR, _SAMPLE = 8.0, 5.0, 40


def draw_matrix(matrix: Matrix, axes: Axes, theme: Theme) -> None:
    """Draw as much of the matrix as the axes have room for, with a bar of its colours.

    Cells that a causal mask forbids are hatched, numbers that are not finite have signs of their
    own, and a legend says so. What is left out is said below.
    """
    if not matrix.values.size:
        _draw_none(matrix, axes, theme)
        return
    across, down = room_of(axes)
    shown = shown_in(matrix, across, down)
    cell = across / shown.values.shape[1], down / shown.values.shape[0]
    scale = Scale.of(matrix.kind, shown.values[~shown.gaps], theme, matrix.limit)
    draw_cells(shown, scale, cell, axes, theme)
    if numbers := written(matrix, shown, cell):
        draw_numbers(shown, numbers, scale, axes, theme)
    draw_sides(matrix, shown, cell, axes, theme)
    draw_scale(scale, axes, theme)
    draw_signs(shown, axes, theme)
    note = " ".join(words for words in (shown.note, matrix.note) if words)
    formula = matrix.equation
    caption(axes, theme, matrix.title, name=matrix.name, formula=formula, note=note or None)


def shown_in(matrix: Matrix, across: float, down: float) -> Shown:
    """The cells that so many points have room for: numbers at the edges, or colours throughout."""
    if _bare(matrix):
        wide, high = _width(matrix, _sampled(matrix), narrow=True), CLOSE * points()
        return edges(matrix, max(_count(down, high), 3), max(_count(across, wide), 3))
    least = LEAST_CELL * points()
    return thinned(matrix, max(_count(down, least), 2), max(_count(across, least), 2))


def matrix_extent(matrix: Matrix, room: float) -> Extent:
    """Cells with numbers where these fit into so many points, cells of colour otherwise."""
    size = points()
    if not matrix.values.size:
        return Extent(_LEAST * size, size, _LEAST * size, words=True)
    rows, columns = matrix.values.shape
    beside = side_width(matrix) + (0.0 if _bare(matrix) else _BAR * size)
    room = max(room - beside, _LEAST * size)
    if _bare(matrix):
        return _of_numbers(matrix, room, HIGHEST * size)
    least = columns * _width(matrix, matrix.values, narrow=True)
    lowest = rows * HEIGHT * SIZES[-1] * size
    if not 0 < least <= room or lowest > TALLEST * size:
        return _of_colours(matrix, room)
    found = _of_numbers(matrix, room, TALLEST * size)
    # Beside another block it is not pressed until the labels of its columns have to stand upright.
    lying = columns * (names_width(matrix, SMALLEST) + BETWEEN * SMALLEST * size)
    least = NARROWEST * size if rows > MANY else max(least, lying)
    least = min(least, found.width)
    return replace(found, least=least, lowest=lowest / found.height)


def written(matrix: Matrix, shown: Shown, cell: tuple[float, float]) -> Numbers | None:
    """What stands in the cells, if it fits: their words where they have some, else the numbers."""
    if matrix.words is None:
        return fitting(shown.values, cell, most=matrix.decimals)
    # Of a block of cells only the colour is left: the words of one would not be those of all.
    return lettering(matrix.words, cell) if shown.values.shape == matrix.values.shape else None


def _width(matrix: Matrix, values: NDArray[Any], *, narrow: bool = False) -> float:
    """The width of a cell, with what stands in it at its best or at its narrowest; 0 if nothing."""
    if matrix.words is None:
        return cell_width(values, narrow=narrow, most=matrix.decimals)
    return word_width(matrix.words, narrow=narrow)


def _draw_none(matrix: Matrix, axes: Axes, theme: Theme) -> None:
    """Say that there is nothing to draw."""
    blank(axes)
    rows, columns = matrix.values.shape
    note = f"Nothing to draw: {rows:,} × {columns:,} numbers."
    caption(axes, theme, matrix.title, name=matrix.name, note=note)


def _of_numbers(matrix: Matrix, room: float, tallest: float) -> Extent:
    """Cells as wide as their numbers and their labels, where there is room for both."""
    size = points()
    rows, columns = matrix.values.shape
    number = _width(matrix, _sampled(matrix))
    named = min(names_width(matrix) + 0.6 * size, WIDEST_CELL * size)
    across = columns * max(number, named)
    if across > room:
        across = min(columns * number, room)
    row = ROW * size
    if _square(matrix):
        row = max(row, SQUARE * across / columns)
    down = min(rows * row, tallest)
    return Extent(across, down, across, lowest=min(LOWEST * size / down, 1.0))


def _of_colours(matrix: Matrix, room: float) -> Extent:
    """Small cells; those of a pattern are square."""
    size = points()
    rows, columns = matrix.values.shape
    wide = min(room / columns, LARGEST_CELL * size)
    high = min(HIGHEST * size / rows, LARGEST_CELL * size)
    if _square(matrix):
        wide = high = min(wide, high)
    across = max(columns * wide, 3 * size)
    down = max(rows * high, min(rows, 3) * size)
    down = min(down, max(SLENDER * across, LOWEST * size))
    least = min(across, NARROWEST * size)
    lowest = min(LOWEST * size / down, 1.0)
    return Extent(across, down, least, lowest=lowest, square=_square(matrix))


def _bare(matrix: Matrix) -> bool:
    """Whether its numbers have no colours: it shows numbers, or nothing."""
    return matrix.kind in ("ids", "plain")


def _square(matrix: Matrix) -> bool:
    return (matrix.rows.dim, matrix.columns.dim) == ("query", "key")


def _sampled(matrix: Matrix) -> NDArray[Any]:
    """The numbers, or enough of them to see how wide they are."""
    return edges(matrix, _SAMPLE, _SAMPLE).values


def _count(room: float, each: float) -> int:
    return int(room / each + 0.01)
