"""Bars: a label, a length and its number for each item."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from pellucid.views.figures.captions import foot, head
from pellucid.views.figures.style import points
from pellucid.views.figures.text import label
from pellucid.views.figures.theme import Theme
from pellucid.views.numbers import NumberFormat
from pellucid.views.scene import Bars


def draw_bars(bars: Bars, axes: Axes, theme: Theme) -> None:
    """Draw one bar an item, negative ones to the left, each with its number at its end."""
    numbers = np.array([number for _, number in bars.items])
    form = NumberFormat.fitting(numbers)
    places = range(len(numbers))
    colours = [theme.negative if number < 0 else theme.positive for number in numbers]
    axes.barh(places, np.nan_to_num(numbers), color=colours, height=0.7)
    axes.set_yticks(places, [label(name, 12 * points(), points()) for name, _ in bars.items])
    axes.invert_yaxis()
    for place, number in enumerate(numbers):
        axes.annotate(
            form.text(number) + bars.unit, (max(float(number), 0.0), place), xytext=(3, 0),
            textcoords="offset points", va="center", fontsize=points("small"),
        )  # fmt: skip
    head(axes, theme, bars.title)
    foot(axes, theme, bars.note)
