"""A network on a terminal: a column of units for each layer, lines for the strongest weights."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from pellucid.views.labels import clean, label
from pellucid.views.network import Layer, Network
from pellucid.views.numbers import NumberFormat, at_points
from pellucid.views.terminal import theme
from pellucid.views.terminal.labels import fit
from pellucid.views.terminal.links import WIDEST, Link, draw_links, sample
from pellucid.views.terminal.page import Lines, Page
from pellucid.views.terminal.prose import INDENT, caption, remark

MOST_UNITS = 16
"""Of a larger layer the units farthest from 0 are drawn."""
MOST_LINES = 12
"""Between two layers so many weights get a line: more could not be followed."""
_LONGEST_LABEL = 12
_WIDEST_GAP = 36
_OFF = "off"


@dataclass(frozen=True)
class _Column:
    """One layer written out: where each unit stands, and what is written there."""

    rows: list[int]
    texts: list[str]
    styles: list[Style]
    width: int

    def cell(self, row: int) -> Text:
        """What stands in a row of the drawing."""
        if row not in self.rows:
            return Text(" " * self.width)
        place = self.rows.index(row)
        return Text().append(self.texts[place], self.styles[place])


def draw_network(network: Network, page: Page) -> Lines:
    """Draw each unit's number, coloured by its size, and between layers the strongest weights."""
    network = network.strongest(MOST_UNITS)
    height = max((len(layer.values) for layer in network.layers), default=0)
    longest = min(_LONGEST_LABEL, page.width // 10)
    columns = [_column(layer, height, longest, page) for layer in network.layers]
    gaps = len(network.weights)
    room = page.width - INDENT - sum(column.width for column in columns)
    gap = max(min(room // max(gaps, 1), _WIDEST_GAP), 1)
    limit = _magnitude(network.weights)
    drawn = [
        _drawn(weights, *layers)
        for weights, layers in zip(network.weights, pairwise(network.layers), strict=True)
    ]
    between = [
        draw_links(_links(weights, lines, ends, limit), gap, height, page)
        for weights, lines, ends in zip(network.weights, drawn, pairwise(columns), strict=True)
    ]
    lines = [*caption(network.title, page, name=network.shared)]
    lines.extend(_heads(network, columns, gap, page))
    for row in range(height):
        line = Text(" " * INDENT)
        for place, column in enumerate(columns):
            line.append_text(column.cell(row))
            if place < gaps:
                line.append_text(between[place][row])
        line.truncate(page.width)
        lines.append(line)
    lines.extend(_legend(network, drawn, limit, page))
    if network.note:
        lines.extend(remark(network.note, page))
    return tuple(lines)


def _drawn(weights: NDArray[Any], before: Layer, after: Layer) -> NDArray[np.intp]:
    """The largest finite weights between units that are on, `[line, 2]`, the smallest first."""
    sizes = np.where(np.isfinite(weights), np.abs(weights), 0.0)
    sizes[before.off] = 0.0
    sizes[:, after.off] = 0.0
    most = min(MOST_LINES, int(np.count_nonzero(sizes)))
    order = np.argsort(-sizes, axis=None, kind="stable")[:most][::-1]
    return np.stack(np.unravel_index(order, sizes.shape), axis=1)


def _column(layer: Layer, height: int, longest: int, page: Page) -> _Column:
    """Write out a layer, its units spread over the height."""
    names = [label(name) for name in layer.labels]
    side = min(max(map(cell_len, names), default=0), longest)
    form = NumberFormat.fitting(layer.values, unicode=page.unicode)
    numbers = at_points([_OFF if not n else form.text(n) for n in layer.values.tolist()])
    texts = [f" {fit(n, side, 'right')} {x} " for n, x in zip(names, numbers, strict=True)]
    limit = _magnitude((layer.values,))
    styles = [
        theme.cell_style("signed", n, limit, colours=page.colours) for n in layer.values.tolist()
    ]
    count = len(texts)
    if count == 1:
        rows = [(height - 1) // 2]
    else:
        rows = [round(place * (height - 1) / (count - 1)) for place in range(count)]
    return _Column(rows, texts, styles, max(map(cell_len, texts), default=0))


def _links(
    weights: NDArray[Any], drawn: NDArray[np.intp], ends: tuple[_Column, _Column], limit: float
) -> list[Link]:
    """The lines between two layers, the widest last."""
    left, right = ends
    links = []
    for start, end in drawn.tolist():
        weight = float(weights[start, end])
        style = theme.POSITIVE if weight > 0 else theme.NEGATIVE
        dots = max(round(abs(weight) / limit * WIDEST), 1)
        links.append(Link(left.rows[start], right.rows[end], dots, style, broken=weight < 0))
    return links


def _heads(network: Network, columns: list[_Column], gap: int, page: Page) -> list[Text]:
    """Over each column what it is, and below that its dim."""
    lines = []
    for words in (network.names, [layer.axis.dim for layer in network.layers]):
        line = Text(" " * INDENT)
        for place, (text, column) in enumerate(zip(words, columns, strict=True)):
            room = column.width + (gap if place < len(columns) - 1 else 0)
            line.append(fit(" " + clean(text), room), theme.QUIET)
        line.truncate(page.width)
        lines.append(line)
    return lines


def _legend(network: Network, drawn: list[NDArray[np.intp]], limit: float, page: Page) -> Lines:
    """What the lines are, how many there are, and how many units are off."""
    pairs = zip(drawn, network.weights, strict=True)
    counts = " and ".join(f"{len(lines):,} of {weights.size:,}" for lines, weights in pairs)
    numbers = NumberFormat.fitting(np.array([limit]), unicode=page.unicode)
    widths = ", ".join(
        f"{sample(dots, page)} {numbers.text(dots / WIDEST * limit)}" for dots in (1, WIDEST)
    )
    words = f"""Lines: the strongest weights between units that are on, {counts}. Widths: {widths};
        {sample(2, page, broken=True)} negative."""
    off = sum(int(layer.off.sum()) for layer in network.layers)
    if off:
        words += f" Off: {off:,} units are 0 and hand nothing on."
    return remark(" ".join(words.split()), page)


def _magnitude(arrays: tuple[NDArray[Any], ...]) -> float:
    """The largest finite magnitude; 1 where there is none."""
    return (
        max((float(np.abs(a[np.isfinite(a)]).max(initial=0.0)) for a in arrays), default=0.0) or 1.0
    )
