"""The terminal's colours, for dark and for light backgrounds alike.

Every colour here has the same luminance, 0.18: white text on it, and it on black or on white, all
stand at a contrast of about 4.5 to 1 (WCAG 2.2, success criterion 1.4.3). Strength shows first as
coloured text, then as a filled cell of growing saturation. Blue against orange holds for every
common kind of colour blindness. Where there are 16 colours, and nobody knows which shades a
terminal gives them, a cell is plain or filled.
"""

from __future__ import annotations

import math
from functools import lru_cache

from rich.color import Color
from rich.style import Style

from pellucid.views.matrix import MatrixKind

_Linear = tuple[float, float, float]
"""Linear RGB. A mixture of two colours of one luminance keeps it."""

_GREY: _Linear = (0.18, 0.18, 0.18)
_BLUE: _Linear = (0.0, 0.19, 0.61)
_ORANGE: _Linear = (0.50, 0.103, 0.0)
_VIOLET: _Linear = (0.19, 0.10, 0.94)

_STEPS = (0.08, 0.3, 0.5, 0.7, 0.9)
"""From which share of the scale's end a cell takes the next step; below the first it is plain."""
_SATURATION = (0.0, 0.0, 0.55, 0.7, 0.85, 1.0)
"""How far each step's filling goes from grey to the full colour; the first two have none."""

_FILLED_IN_16 = {
    _BLUE: Style(color="bright_white", bgcolor="blue"),
    _ORANGE: Style(color="black", bgcolor="yellow"),
    _VIOLET: Style(color="bright_white", bgcolor="magenta"),
}

MANY = 256
"""So many colours, or more, can show a scale."""


def _colour(linear: _Linear) -> Color:
    """A colour from linear RGB (IEC 61966-2-1, the sRGB transfer function)."""
    coded = (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in linear)
    return Color.from_rgb(*(round(255 * c) for c in coded))


TITLE = Style(bold=True)
QUIET = Style(dim=True)
RULE = Style(dim=True)
FORMULA = Style(italic=True)
LINK = Style(color=_colour(_BLUE))
CODE = Style(color=_colour(_VIOLET))
POSITIVE = Style(color=_colour(_BLUE))
NEGATIVE = Style(color=_colour(_ORANGE))
PROBABILITY = Style(color=_colour(_VIOLET))
SERIES = (POSITIVE, NEGATIVE, PROBABILITY)
NOT_A_NUMBER = Style(color="#ffffff", bgcolor="#b00020", bold=True)


def cell_style(kind: MatrixKind, number: float, limit: float, *, colours: int = MANY) -> Style:
    """The style of one cell: how far `number` goes towards `limit`, the end of the scale."""
    if math.isnan(number):
        return NOT_A_NUMBER
    if number == 0 or math.isinf(number):
        return QUIET
    if kind in ("ids", "plain") or not limit:
        return Style.null()
    step = sum(abs(number) >= limit * share for share in _STEPS)
    return _step_style(_hue(kind, number), step, colours)


def swatches(kind: MatrixKind, *, below: bool = False, colours: int = MANY) -> tuple[Style, ...]:
    """The coloured steps from zero to one end of the scale, as a legend shows them."""
    if kind in ("ids", "plain"):
        return ()
    hue = _hue(kind, -1.0 if below else 1.0)
    steps = (_step_style(hue, step, colours) for step in range(1, len(_SATURATION)))
    return tuple(dict.fromkeys(style for style in steps if style != Style.null()))


def _hue(kind: MatrixKind, number: float) -> _Linear:
    if kind == "probability":
        return _VIOLET
    return _BLUE if number > 0 else _ORANGE


@lru_cache
def _step_style(hue: _Linear, step: int, colours: int) -> Style:
    """Plain at step 0, coloured text at step 1, a filled cell above."""
    if step == 0:
        return Style.null()
    if colours < MANY:
        return _FILLED_IN_16[hue] if step > 1 else Style.null()
    if step == 1:
        return Style(color=_colour(hue))
    share = _SATURATION[step]
    red, green, blue = (
        (1 - share) * grey + share * full for grey, full in zip(_GREY, hue, strict=True)
    )
    return Style(color="#ffffff", bgcolor=_colour((red, green, blue)))
