"""Bars as HTML: a label, its number, and a length that can be compared at a glance."""

from __future__ import annotations

import math
from itertools import zip_longest

import numpy as np

from pellucid.views.html.element import Html, element
from pellucid.views.html.prose import captioned
from pellucid.views.html.sheet import Sheet
from pellucid.views.html.table import padded
from pellucid.views.html.words import label
from pellucid.views.numbers import NumberFormat, percent
from pellucid.views.scene import Bars
from pellucid.views.selection import Selection


def draw_bars(bars: Bars, sheet: Sheet) -> Html:
    """A row for each item. Where there are negative numbers, their bars hang left of an axis."""
    count = len(bars.items)
    rows = Selection.of(count, count if bars.whole else sheet.rows)
    items = [bars.items[index] for index in rows.indices]
    numbers = np.array([number for _, number in items], dtype=np.float64)
    form = NumberFormat.fitting(numbers)
    unit = f" {bars.unit}" if bars.unit and bars.unit != "%" else bars.unit
    columns = (
        [element("th", label(name), scope="row") for name, _ in items],
        [number(text) for text in padded(form.text(n) + unit for n in numbers.tolist())],
        [number(text) for text in padded(percent(bars.shares[i]) for i in rows.indices)]
        if bars.shares
        else [],
        lengths(numbers, bars.limit),
    )
    lines = [element("tr", *cells) for cells in zip_longest(*columns, fillvalue=Html())]
    if not rows.whole:
        lines.insert(rows.first, element("tr", element("th", "⋮")))
    return captioned(
        bars.title,
        element("div", element("table", element("tbody", *lines), class_="bars"), class_="scroll"),
        sheet=sheet,
        notes=(f"Shown: {rows.words('bars')}." if not rows.whole else "", bars.note or ""),
    )


def number(text: str) -> Html:
    """A cell of a number."""
    return element("td", text, class_="number")


def lengths(numbers: np.ndarray, limit: float | None) -> list[Html]:
    """The bars themselves, all to one scale; what is not finite has none."""
    finite = numbers[np.isfinite(numbers)]
    end = limit or float(np.abs(finite).max(initial=0.0)) or 1.0
    axis = 50.0 if np.any(finite < 0) else 0.0
    return [element("td", bar(n / end, axis), class_="bar") for n in numbers.tolist()]


def bar(share: float, axis: float) -> Html:
    """A bar from the axis, which stands so many percent from the left, to a share of its side."""
    if not math.isfinite(share) or not share:
        return Html()
    width = min(abs(share), 1.0) * (100 - axis)
    left = axis - width if share < 0 else axis
    hue = "negative" if share < 0 else "positive"
    return element("i", class_=hue, style=f"left:{left:.2f}%;width:{width:.2f}%")
