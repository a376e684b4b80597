"""A curve: lines over an axis, and levels to read them against."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from pellucid.views.figures.captions import foot, head
from pellucid.views.figures.style import points
from pellucid.views.figures.text import safe
from pellucid.views.figures.theme import Theme
from pellucid.views.scene import Curve, Level


def draw_curve(curve: Curve, axes: Axes, theme: Theme) -> None:
    """Draw each series in its colour, and each level as a dashed line with its name beside it."""
    for place, series in enumerate(curve.series):
        colour = theme.series[place % len(theme.series)]
        axes.plot(np.asarray(series.x), series.y, color=colour, label=safe(series.name))
    for level in curve.levels:
        _draw_level(level, axes, theme)
    axes.set_xlabel(safe(curve.x_label))
    axes.set_ylabel(safe(curve.y_label))
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0)
    if len(curve.series) > 1:
        axes.legend(frameon=False)
    head(axes, theme, curve.title)
    foot(axes, theme, curve.note, down=3.5 * points())


def _draw_level(level: Level, axes: Axes, theme: Theme) -> None:
    axes.axhline(level.y, color=theme.quiet, linestyle="--", linewidth=points() / 11)
    axes.annotate(
        f"{safe(level.name)} {level.y:.3f}", (1, level.y), xycoords=("axes fraction", "data"),
        xytext=(4, 0), textcoords="offset points", color=theme.quiet, va="center",
        fontsize=points("small"),
    )  # fmt: skip
