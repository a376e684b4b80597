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
from matplotlib.transforms import Bbox
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
_TALL, _FULL = 1.35, 0.92
"""How high a unit is, in sizes of the text, and of its share of the height at the most."""
_HEAD = 2.6
"""What the words over a layer take, in sizes of the text."""
_LONGEST = 6.0
"""The longest name of a unit, in sizes of the text."""
_WIDEST = 0.42
"""The widest line, in sizes of the text."""
_PALEST = 0.15
"""How much colour the weakest line has."""
_OFF = "off"
_EACH = "Each layer has its own scale of colours, as their numbers are far apart."
_APART = 4.0
"""Layers whose largest numbers are so many times apart have a scale of colours each."""


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
    height, lowest = (pitch * rows + _HEAD for pitch in (_PITCH, _TALL / _FULL))
    across = min(50 * points(), room)
    least = min(12 * len(network.layers) * points(), across)
    return Extent(across, height * points(), least, lowest=lowest / height)


def draw_network(network: Network, axes: Axes, theme: Theme) -> None:
    """Draw every weight between the units as a line, and over the lines the units."""
    network = network.strongest(MOST_UNITS)
    blank(axes)
    across, down = room_of(axes)
    columns = [_column(layer, _HEAD * points(), down) for layer in network.layers]
    widths = [_width(column) for column in columns]
    lefts = np.linspace(0, across - widths[-1], len(columns)).tolist() if columns else []
    limits = _limits(network.layers)
    high = min(_TALL * points(), _FULL * min(map(_step, columns), default=np.inf))
    heaviest = _magnitude(network.weights)
    for place, weights in enumerate(network.weights):
        ends = lefts[place] + widths[place], lefts[place + 1]
        _draw_weights(weights, columns[place : place + 2], ends, heaviest, axes, theme)
    heads = zip(network.layers, network.names, strict=True)
    for place, (layer, name) in enumerate(heads):
        left, wide = lefts[place], widths[place]
        _draw_head(layer, name, left, wide, axes, theme)
        for pill in columns[place]:
            box = Bbox.from_bounds(left, pill.y - high / 2, wide, high)
            _draw_unit(pill, box, limits[place], axes, theme)
    _legend(network, limits, heaviest, axes, theme)
    note = " ".join(filter(None, [_EACH if len(set(limits)) > 1 else "", network.note]))
    caption(axes, theme, network.title, name=network.shared or None, note=note or None)


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


def _step(column: list[_Pill]) -> float:
    """From one unit to the next."""
    return column[1].y - column[0].y if len(column) > 1 else np.inf


def _limits(layers: Sequence[Layer]) -> list[float]:
    """The number that is drawn fullest in each layer: one for all, unless they are far apart."""
    own = [_magnitude([layer.values]) for layer in layers]
    used = [size for size, layer in zip(own, layers, strict=True) if _coloured(layer)]
    apart = bool(used) and max(used) > _APART * min(used)
    return own if apart else [max(used, default=1.0)] * len(own)


def _coloured(layer: Layer) -> bool:
    """Whether any of its units has a colour of the scale."""
    return bool((np.isfinite(layer.values) & ~layer.off).any())


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


def _draw_unit(pill: _Pill, box: Bbox, limit: float, axes: Axes, theme: Theme) -> None:
    """A rounded box, filled by its number; empty, with a broken edge, where the unit is off."""
    size = points("small")
    fill, off = _fill(pill.value, limit, theme), pill.value == 0
    axes.add_patch(
        FancyBboxPatch(
            (box.x0, box.y0),
            box.width,
            box.height,
            boxstyle=f"round,pad=0,rounding_size={box.height / 3}",
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
        (box.x0 + 0.6 * size, pill.name, "left"),
        (box.x1 - 0.6 * size, pill.number, "right"),
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


def _legend(
    network: Network, limits: list[float], heaviest: float, axes: Axes, theme: Theme
) -> None:
    """What the lines and the fillings mean, below; where layers have scales of their own, each."""
    weight, *units = (
        NumberFormat.fitting(np.array([number])).text(number).replace("-", "−")
        for number in (heaviest, *limits)
    )
    entries: list[Entry] = []
    for sign, colour in (("", theme.positive), ("−", theme.negative)):
        line = Line2D([], [], color=colour, linewidth=_WIDEST * points(), solid_capstyle="butt")
        entries.append((line, f"weight {sign}{weight}"))
    for sign, colour in (("", theme.positive), ("−", theme.negative)):
        if len(set(limits)) <= 1:
            entries += [(_sample(colour, theme), f"unit {sign}{unit}") for unit in units[:1]]
            continue
        for layer, unit in zip(network.layers, units, strict=True):
            if _coloured(layer):
                entries.append((_sample(colour, theme), f"{safe(layer.title)} {sign}{unit}"))
    if any(layer.off.any() for layer in network.layers):
        entries.append((_sample(theme.paper, theme, broken=True), "off: 0"))
    draw_legend(entries, axes, theme)


def _sample(colour: str, theme: Theme, *, broken: bool = False) -> Patch:
    return Patch(facecolor=colour, edgecolor=theme.quiet, linestyle="--" if broken else "-")
