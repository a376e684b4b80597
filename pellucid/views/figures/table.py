"""A table: columns of words and numbers under their names."""

from __future__ import annotations

from matplotlib.axes import Axes

from pellucid.views.figures.captions import foot, head, room_of
from pellucid.views.figures.style import points
from pellucid.views.figures.text import LINE, safe
from pellucid.views.figures.theme import Theme
from pellucid.views.figures.words import blank
from pellucid.views.scene import Table


def draw_table(table: Table, axes: Axes, theme: Theme) -> None:
    """Draw the names of the columns over a rule, and the rows below it."""
    blank(axes)
    step = room_of(axes)[0] / max(len(table.columns), 1)
    for place, name in enumerate(table.columns):
        axes.text(place * step, 0, safe(name), va="top", color=theme.quiet)
        for line, row in enumerate(table.rows, 1):
            axes.text(place * step, line * LINE * points(), safe(str(row[place])), va="top")
    head(axes, theme, table.title)
    foot(axes, theme, table.note)
