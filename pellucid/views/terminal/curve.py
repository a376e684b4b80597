"""A curve on a terminal: dots of braille over two axes, with levels drawn across."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from pellucid.views.labels import clean
from pellucid.views.scene import Curve, Series
from pellucid.views.terminal import theme
from pellucid.views.terminal.axes import (
    DOTS_DOWN,
    Frame,
    power_texts,
    round_numbers,
    round_powers,
    span,
    span_of_powers,
    tick_texts,
)
from pellucid.views.terminal.braille import Canvas
from pellucid.views.terminal.foot import draw_foot
from pellucid.views.terminal.labels import fit
from pellucid.views.terminal.page import Lines, Page
from pellucid.views.terminal.prose import INDENT, caption, remark

_HEIGHT = 14
_NARROWEST, _WIDEST = 4, 96
_NAME_WIDTHS = (6, 28)
"""How long a name in the margin can be: at least, and at most where there is room."""
_Margin = dict[int, tuple[str, Style]]


def draw_curve(curve: Curve, page: Page) -> Lines:
    """Draw every series; where many values share a column of dots, their whole range is drawn.

    The margin at the right names each series with its last value, and each level with its own.
    Values that are not finite leave a gap.
    """
    lines = list(caption(curve.title, page))
    shown = [series for series in curve.series if _finite(series).any()]
    if not shown:
        return (*lines, *remark("Nothing to draw: no value is finite.", page))
    frame, names, ticks = _layout(curve, shown, page)
    side = max(map(len, ticks.values()), default=0)
    lines.append(Text(" " * (INDENT + side + 1)).append(clean(curve.y_label), theme.QUIET))
    for row, plotted in enumerate(_plot(curve, shown, frame, page)):
        line = Text(" " * INDENT).append(ticks.get(row, "").rjust(side) + " ", theme.QUIET)
        line.append("┤" if row in ticks else "│", theme.RULE).append_text(plotted)
        if row in names:
            line.append(" ").append(*names[row])
        lines.append(line)
    below = _ticks(curve, frame.left, frame.right, max(frame.width // 12, 1))
    lines.extend(draw_foot(frame, *below, curve.x_label, side, page))
    if curve.note:
        lines.extend(remark(curve.note, page))
    return tuple(lines)


def _layout(curve: Curve, shown: list[Series], page: Page) -> tuple[Frame, _Margin, dict[int, str]]:
    """The frame, what its right margin says by row, and the ticks of its left side by row."""
    ys = np.concatenate([series.y[_finite(series)] for series in shown])
    xs = np.concatenate([_x(series)[_finite(series)] for series in shown])
    spanned = span_of_powers if curve.logarithmic else span
    bottom, top = spanned(np.concatenate([ys, [level.y for level in curve.levels]]), 0.04)
    left, right = spanned(xs, 0.0)
    ticks, texts = _ticks(curve, bottom, top, 5)
    labels = _labels(curve, shown, page)
    margin = max((cell_len(text) for _, text, _ in labels), default=0)
    room = page.width - INDENT - max(map(len, texts), default=0) - 3 - margin
    width = max(min(room, _WIDEST), _NARROWEST)
    frame = Frame(width, _HEIGHT, left, right, bottom, top, curve.logarithmic)
    by_row = {frame.row(tick) // DOTS_DOWN: text for tick, text in zip(ticks, texts, strict=True)}
    names: _Margin = {}
    for y, text, style in labels:
        names[_free_row(frame.row(y) // DOTS_DOWN, names)] = (text, style)
    return frame, names, by_row


def _ticks(curve: Curve, low: float, high: float, most: int) -> tuple[list[float], list[str]]:
    """Round numbers on an axis, and how they are written."""
    if curve.logarithmic:
        ticks = round_powers(low, high, most)
        return ticks, power_texts(ticks)
    ticks = round_numbers(low, high, most)
    return ticks, tick_texts(ticks)


def _labels(curve: Curve, shown: list[Series], page: Page) -> list[tuple[float, str, Style]]:
    """What the right margin says, and at what height: levels first, so that they keep their row."""
    ends = [float(series.y[_finite(series)][-1]) for series in shown]
    numbers = [*(level.y for level in curve.levels), *ends]
    texts = [
        f"{number:.4f}" if 1e-3 <= abs(number) < 1e4 else f"{number:.4g}" for number in numbers
    ]
    styles = [*(theme.QUIET for _ in curve.levels), *_series_styles(len(shown))]
    names = [clean(name) for name in (*(x.name for x in curve.levels), *(x.name for x in shown))]
    shortest, longest = _NAME_WIDTHS
    room = max(min(page.width // 2 - 12, longest), shortest)
    return [
        (number, f"{fit(name, min(cell_len(name), room))} {text}", style)
        for number, name, text, style in zip(numbers, names, texts, styles, strict=True)
    ]


def _free_row(wanted: int, taken: _Margin) -> int:
    """The row wanted, or the nearest one that is free, above before below."""
    nearest = sorted(range(_HEIGHT), key=lambda row: (abs(row - wanted), row))
    return next((row for row in nearest if row not in taken), wanted)


def _plot(curve: Curve, shown: list[Series], frame: Frame, page: Page) -> list[Text]:
    """The rows of the plot: each series in its colour over the dotted lines of the levels."""
    layers = [(_levels(curve, frame), theme.RULE)]
    for series, style in zip(shown, _series_styles(len(shown)), strict=True):
        layers.append((_line(series, frame), style))
    whole = Canvas(frame.width, frame.height)
    whole.dots[:] = np.any([canvas.dots for canvas, _ in layers], axis=0)
    rows = []
    for row, characters in enumerate(whole.rows(unicode=page.unicode)):
        text = Text()
        for column, character in enumerate(characters):
            owners = [style for canvas, style in layers if canvas.marked(row, column)]
            text.append(character, owners[-1] if owners else None)
        rows.append(text)
    return rows


def _levels(curve: Curve, frame: Frame) -> Canvas:
    """Every other dot of each level's row."""
    canvas = Canvas(frame.width, frame.height)
    for level in curve.levels:
        canvas.dots[frame.row(level.y), ::2] = True
    return canvas


def _line(series: Series, frame: Frame) -> Canvas:
    """Every value of a series, and straight lines between neighbours."""
    canvas = Canvas(frame.width, frame.height)
    previous: tuple[int, int] | None = None
    for x, y, finite in zip(_x(series), series.y, _finite(series), strict=True):
        if not finite:
            previous = None
            continue
        point = frame.column(x), frame.row(y)
        canvas.join(previous or point, point)
        previous = point
    return canvas


def _series_styles(count: int) -> list[Style]:
    return [theme.SERIES[index % len(theme.SERIES)] for index in range(count)]


def _x(series: Series) -> NDArray[Any]:
    return np.arange(len(series.y)) if series.x is None else np.asarray(series.x)


def _finite(series: Series) -> NDArray[Any]:
    return np.asarray(np.isfinite(series.y) & np.isfinite(_x(series)))
