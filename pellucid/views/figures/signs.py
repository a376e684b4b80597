"""Cells that hold no finite number, or none that counts: each kind with a sign of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from numpy.typing import NDArray

from pellucid.views.figures.legend import Entry, draw_legend
from pellucid.views.figures.reduction import Shown
from pellucid.views.figures.style import points
from pellucid.views.figures.theme import Theme

Look = dict[str, Any]
_HATCH = 32.0
"""How many strokes a hatch has, in points of the text: so that they are a line of it apart."""


def draw_signs(shown: Shown, axes: Axes, theme: Theme) -> None:
    """Hatch what is masked or −∞ one way and +∞ the other, fill NaN; a legend below names them."""
    values = np.where(shown.gaps, 0, shown.values)
    below, above = np.isneginf(values) & ~shown.masked, np.isposinf(values)
    kinds = (
        (shown.masked, _masked_as(shown)),
        (below, "−∞"),
        (above, "+∞"),
        (np.isnan(values), "NaN: not a number"),
    )
    entries: list[Entry] = []
    for (cells, name), look in zip(kinds, looks(theme), strict=True):
        if cells.any():
            axes.add_patch(PathPatch(runs(cells), linewidth=0, **look))
            entries.append((Patch(linewidth=0, **look), name))
    if entries:
        draw_legend(entries, axes, theme)


def looks(theme: Theme) -> tuple[Look, Look, Look, Look]:
    """How cells look that are masked, −∞, +∞, and NaN."""
    # Matplotlib's hatches are as dense in large type as in small.
    dense = max(round(_HATCH / points()), 2)
    return (
        {"facecolor": "none", "edgecolor": theme.quiet, "hatch": "/" * dense},
        {"facecolor": "none", "edgecolor": theme.negative, "hatch": "x" * dense},
        {"facecolor": "none", "edgecolor": theme.positive, "hatch": "\\" * dense},
        {"facecolor": theme.not_a_number, "edgecolor": "none"},
    )


def runs(cells: NDArray[np.bool_]) -> Path:
    """One path around all cells that are set, row by row."""
    rectangles = []
    for row, line in enumerate(cells):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], line, [False]]).astype(int)))
        for start, stop in edges.reshape(-1, 2).tolist():
            left, right = start - 0.5, stop - 0.5
            corners = [(left, row - 0.5), (right, row - 0.5), (right, row + 0.5), (left, row + 0.5)]
            rectangles.append(Path([*corners, corners[0]], closed=True))
    return Path.make_compound_path(*rectangles)


def _masked_as(shown: Shown) -> str:
    number = "−∞" if np.isneginf(shown.values[shown.masked]).any() else "0"
    return f"masked, as these tokens come later: {number}"
