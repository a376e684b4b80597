"""A matrix: coloured cells with their numbers, labelled with what stands along each side."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize

from pellucid.views.figures.captions import foot, head
from pellucid.views.figures.style import points
from pellucid.views.figures.text import label
from pellucid.views.figures.theme import Theme
from pellucid.views.matrix import Axis, Matrix


def draw_matrix(matrix: Matrix, axes: Axes, theme: Theme) -> None:
    """Draw the cells in their colours."""
    shown = np.ma.masked_invalid(matrix.values)
    if matrix.kind == "probability":
        scale, colours = Normalize(0, 1), theme.sequential
    else:
        limit = matrix.limit or float(np.abs(shown).max()) or 1.0
        scale, colours = Normalize(-limit, limit), theme.diverging
    axes.imshow(shown, cmap=colours, norm=scale, aspect="auto", interpolation="nearest")
    rows, columns = matrix.values.shape
    axes.set_yticks(range(rows), _labels(matrix.rows, rows))
    axes.set_xticks(range(columns), _labels(matrix.columns, columns))
    axes.xaxis.tick_top()
    head(axes, theme, matrix.title, name=matrix.name, formula=matrix.equation, up=2 * points())
    foot(axes, theme, matrix.note)


def _labels(axis: Axis, size: int) -> list[str]:
    return [label(text, 80, points()) for text in axis.labels or map(str, range(size))]
