"""The sides of a matrix: its dims, and a label for each row and column, or for every k-th."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from pellucid.views.figures.reduction import Shown, labels_of
from pellucid.views.figures.style import points
from pellucid.views.figures.text import label, safe, width
from pellucid.views.figures.theme import Theme
from pellucid.views.matrix import Axis, Matrix

LARGEST, SMALLEST = 0.9, 0.7
"""The type of labels, in sizes of the text."""
SPACING = 1.2
"""From one line of labels to the next, in sizes of their type."""
BETWEEN = 0.6
"""Between labels beside each other, in sizes of their type."""
LONGEST = 9.0
"""Longer labels are shortened, in sizes of the text."""
_SAMPLE = 60
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)


def draw_sides(
    matrix: Matrix, shown: Shown, cell: tuple[float, float], axes: Axes, theme: Theme
) -> None:
    """Label rows at the left and columns above, upright where they do not fit lying down."""
    across, down = cell
    room = LONGEST * points()
    size = type_for(down)
    texts = [label(text, room, size) for text in labels_of(matrix.rows, shown.rows, "⋮")]
    places = range(0, len(texts), step_for(down, SPACING * size))
    axes.set_yticks(places, [texts[place] for place in places], fontsize=size)
    columns = labels_of(matrix.columns, shown.columns, "…")
    size, step, upright = _lying_or_upright(columns, across, numbers=matrix.columns.labels is None)
    places = range(0, len(columns), step)
    axes.set_xticks(
        places,
        [label(columns[place], room, size) for place in places],
        fontsize=size,
        rotation=90 if upright else 0,
    )
    axes.tick_params(length=0, labelcolor=theme.ink, pad=0.35 * points())
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    look: dict[str, Any] = {
        "fontsize": points("small"),
        "color": theme.quiet,
        "labelpad": 0.4 * points(),
    }
    axes.set_xlabel(safe(matrix.columns.dim), **look)
    axes.set_ylabel(safe(matrix.rows.dim), **look)
    axes.spines[:].set_visible(False)


def side_width(matrix: Matrix) -> float:
    """What the labels of the rows take beside the matrix, in points; of many, of the first."""
    return _widest(matrix.rows, matrix.values.shape[0]) + 2.2 * points()


def names_width(matrix: Matrix, share: float = LARGEST) -> float:
    """The width of the widest label of a column; of many, of the first. Indices have none.

    `share` is the size of its type, in sizes of the text.
    """
    if matrix.columns.labels is None:
        return 0.0
    return _widest(matrix.columns, matrix.values.shape[1]) * share / LARGEST


def _widest(axis: Axis, size: int) -> float:
    texts = labels_of(axis, tuple(range(min(size, _SAMPLE))), "")
    type_size = LARGEST * points()
    shown = [label(text, LONGEST * points(), type_size) for text in texts]
    return max((width(text, type_size) for text in shown), default=0.0)


def type_for(line: float) -> float:
    """The size of type for lines of that height, in points."""
    return min(max(line / SPACING, SMALLEST * points()), LARGEST * points())


def step_for(cell: float, needed: float) -> int:
    """How many cells there are from one label to the next, so that there is room for each."""
    return next((step for step in _STEPS if step * cell >= needed - 1e-6), _STEPS[-1])


def _lying_or_upright(texts: list[str], cell: float, *, numbers: bool) -> tuple[float, int, bool]:
    """Size and step of the labels of columns, and whether they have to stand upright.

    Numbers lie down, as leaving some of them out loses nothing.
    """
    for share in (LARGEST, (LARGEST + SMALLEST) / 2, SMALLEST):
        size = share * points()
        widest = max((width(label(text, 1e6, size), size) for text in texts), default=0.0)
        if widest + BETWEEN * size <= cell:
            return size, 1, False
    if numbers:
        return size, step_for(cell, widest + BETWEEN * size), False
    size = type_for(cell)
    return size, step_for(cell, SPACING * size), True
