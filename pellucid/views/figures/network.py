"""A network: layers of units with their numbers, joined by lines as wide as the weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Patch
from numpy.typing import NDArray

from pellucid.views.figures.captions import caption
from pellucid.views.figures.colours import ink_on, mixed
from pellucid.views.figures.legend import Entry, draw_legend
from pellucid.views.figures.measure import Extent, room_of
from pellucid.views.figures.style import points
from pellucid.views.figures.text import LINE, label, safe, shortened, width
from pellucid.views.figures.theme import Theme
from pellucid.views.figures.words import blank
from pellucid.views.network import Layer, Network
from pellucid.views.numbers import NumberFormat

MOST_UNITS = 16
"""Of a larger layer the units farthest from 0 are drawn."""
_PITCH = 1.75
"""From one unit to the next in the tallest layer, in sizes of the text."""
_TALL = 1.35
"""How high a unit is, in sizes of the text."""
_HEAD = 2.6
"""What the words over a layer take, in sizes of the text."""
_LONGEST = 6.0
"""The longest name of a unit, in sizes of the text."""
_WIDEST = 0.42
"""The widest line, in sizes of the text."""
_PALEST = 0.15
"""How much colour the weakest line has."""
_OFF = "off"


@dataclass(frozen=True)
class _Pill:
    """One unit: what is written in it, and where its middle is, in points."""

    name: str
    number: str
    value: float
    y: float


def network_extent(network: Network, room: float) -> Extent:
    """As high as the tallest layer; wide enough for lines between all layers."""
    rows = min(max(len(layer.values) for layer in network.layers), MOST_UNITS)
    height = (_PITCH * rows + _HEAD) * points()
    across = min(50 * points(), room)
    return Extent(across, height, min(12 * len(network.layers) * points(), across))


def draw_network(network: Network, axes: Axes, theme: Theme) -> None:
    """Draw every weight between the units as a line, and over the lines the units."""
    network = network.strongest(MOST_UNITS)
    blank(axes)
    across, down = room_of(axes)
    columns = [_column(layer, _HEAD * points(), down) for layer in network.layers]
    widths = [_width(column) for column in columns]
    lefts = np.linspace(0, across - widths[-1], len(columns)).tolist() if columns else []
    limit = _magnitude([layer.values for layer in network.layers])
    heaviest = _magnitude(network.weights)
    for place, weights in enumerate(network.weights):
        ends = lefts[place] + widths[place], lefts[place + 1]
        _draw_weights(weights, columns[place : place + 2], ends, heaviest, axes, theme)
    heads = zip(network.layers, network.names, strict=True)
    for (layer, name), column, left, wide in zip(heads, columns, lefts, widths, strict=True):
        _draw_head(layer, name, left, wide, axes, theme)
        for pill in column:
            _draw_unit(pill, left, wide, limit, axes, theme)
    _legend(network, limit, heaviest, axes, theme)
    caption(axes, theme, network.title, name=network.shared or None, note=network.note)


def _column(layer: Layer, top: float, bottom: float) -> list[_Pill]:
    """The units of a layer, spread over a height."""
    size = points("small")
    form = NumberFormat.fitting(layer.values)
    step = (bottom - top) / max(len(layer.values), 1)
    return [
        _Pill(
            label(name, _LONGEST * size, size),
            _OFF if number == 0 else form.text(number).replace("-", "−"),
            number,
            top + step * (place + 0.5),
        )
        for place, (name, number) in enumerate(
            zip(layer.labels, layer.values.tolist(), strict=True)
        )
    ]


def _width(column: list[_Pill]) -> float:
    """What the widest name and the widest number take together."""
    size = points("small")
    names, numbers = (
        max((width(text, size) for text in texts), default=0.0)
        for texts in ((pill.name for pill in column), (pill.number for pill in column))
    )
    return names + numbers + 2.2 * size


def _draw_weights(
    weights: NDArray[Any],
    columns: list[list[_Pill]],
    ends: tuple[float, float],
    heaviest: float,
    axes: Axes,
    theme: Theme,
) -> None:
    """A line for each weight, the widest above; pale where it joins a unit that is off."""
    left, right = columns
    sizes = np.where(np.isfinite(weights), weights, 0.0) / heaviest
    off = np.array([pill.value == 0 for pill in left])[:, None] | np.array(
        [pill.value == 0 for pill in right]
    )
    order = sorted(np.argwhere(sizes).tolist(), key=lambda at: (not off[*at], abs(sizes[*at])))
    axes.add_collection(
        LineCollection(
            [[(ends[0], left[i].y), (ends[1], right[j].y)] for i, j in order],
            linewidths=[abs(sizes[i, j]) * _WIDEST * points() for i, j in order],
            colors=[theme.grid if off[i, j] else _colour(sizes[i, j], theme) for i, j in order],
        ),
        autolim=False,
    )


def _colour(size: float, theme: Theme) -> str:
    """The stronger, the farther from paper."""
    full = theme.positive if size > 0 else theme.negative
    return mixed(theme.paper, full, _PALEST + (1 - _PALEST) * abs(size))


def _draw_head(layer: Layer, name: str, left: float, wide: float, axes: Axes, theme: Theme) -> None:
    """What a layer is, and under it its tensor's name."""
    size = points("small")
    across = room_of(axes)[0]
    align = "left" if left == 0 else "right" if left + wide >= across - 1 else "center"
    x = {"left": left, "right": left + wide, "center": left + wide / 2}[align]
    lines = (
        (layer.title, theme.ink),
        (f"{name} {layer.axis.dim}" if layer.name else layer.axis.dim, theme.quiet),
    )
    for place, (text, colour) in enumerate(lines):
        axes.text(
            x, place * LINE * size, shortened(safe(text), 0.32 * across, size), ha=align, va="top",
            fontsize=size, color=colour,
        )  # fmt: skip


def _draw_unit(
    pill: _Pill, left: float, wide: float, limit: float, axes: Axes, theme: Theme
) -> None:
    """A rounded box, filled by its number; empty, with a broken edge, where the unit is off."""
    size, high = points("small"), _TALL * points()
    fill, off = _fill(pill.value, limit, theme), pill.value == 0
    axes.add_patch(
        FancyBboxPatch(
            (left, pill.y - high / 2),
            wide,
            high,
            boxstyle=f"round,pad=0,rounding_size={high / 3}",
            facecolor=fill,
            edgecolor=theme.quiet,
            linewidth=0.06 * points(),
            linestyle="--" if off else "-",
            zorder=3,
            clip_on=False,
        )
    )
    ink = theme.quiet if off else ink_on(fill)
    for x, text, align in (
        (left + 0.6 * size, pill.name, "left"),
        (left + wide - 0.6 * size, pill.number, "right"),
    ):
        axes.text(
            x, pill.y, text, ha=align, va="center_baseline", fontsize=size, color=ink, zorder=4
        )


def _fill(value: float, limit: float, theme: Theme) -> str:
    """Paper at 0, and the farther from it, the farther from paper."""
    if np.isnan(value):
        return theme.not_a_number
    if not np.isfinite(value):
        return theme.grid
    full = theme.positive if value > 0 else theme.negative
    return mixed(theme.paper, full, min(abs(value) / limit, 1.0))


def _magnitude(arrays: Sequence[NDArray[Any]]) -> float:
    """The largest finite magnitude; 1 where there is none."""
    sizes = (float(np.abs(array[np.isfinite(array)]).max(initial=0.0)) for array in arrays)
    return max(sizes, default=0.0) or 1.0


def _legend(network: Network, limit: float, heaviest: float, axes: Axes, theme: Theme) -> None:
    """What the lines and the fillings mean, below."""
    weight, unit = (
        NumberFormat.fitting(np.array([number])).text(number) for number in (heaviest, limit)
    )
    entries: list[Entry] = []
    for sign, colour in (("", theme.positive), ("−", theme.negative)):
        line = Line2D([], [], color=colour, linewidth=_WIDEST * points(), solid_capstyle="butt")
        entries.append((line, f"weight {sign}{weight}"))
    for sign, colour in (("", theme.positive), ("−", theme.negative)):
        entries.append((_sample(colour, theme), f"unit {sign}{unit}"))
    if any(layer.off.any() for layer in network.layers):
        entries.append((_sample(theme.paper, theme, broken=True), "off: 0"))
    draw_legend(entries, axes, theme)


def _sample(colour: str, theme: Theme, *, broken: bool = False) -> Patch:
    return Patch(facecolor=colour, edgecolor=theme.quiet, linestyle="--" if broken else "-")
