"""Colours of cells and bars: steps of a theme's scales, each with ink that can be read on it."""

from __future__ import annotations

import math

from pellucid.views.figures.colours import ink_on, mixed
from pellucid.views.figures.theme import Theme
from pellucid.views.matrix import MatrixKind

STEPS = 10
"""Colours from zero to one end of a scale."""

_HUES = {"p": "positive", "n": "negative", "v": "probability"}
_PLAIN = ("ids", "plain")


def step_class(kind: MatrixKind, number: float, limit: float) -> str:
    """The class of a cell: its hue's letter, and how far it goes towards the end of the scale."""
    if math.isnan(number):
        return "nan"
    if number == 0 or math.isinf(number):
        return "quiet"
    if kind in _PLAIN or not limit:
        return ""
    step = round(min(abs(number) / limit, 1.0) * STEPS)
    hue = "n" if number < 0 else "v" if kind == "probability" else "p"
    return f"{hue}{step}" if step else ""


def properties(theme: Theme) -> str:
    """The colours of a theme as CSS custom properties."""
    own = {
        "paper": theme.paper,
        "ink": theme.ink,
        "quiet": theme.quiet,
        "grid": theme.grid,
        "positive": theme.positive,
        "negative": theme.negative,
        "probability": theme.probability,
        "nan": theme.not_a_number,
        "on-nan": ink_on(theme.not_a_number),
    }
    for letter, role in _HUES.items():
        for step in range(1, STEPS + 1):
            colour = mixed(theme.paper, getattr(theme, role), step / STEPS)
            own |= {f"{letter}{step}": colour, f"on-{letter}{step}": ink_on(colour)}
    return ";".join(f"--{name}:{colour}" for name, colour in own.items())


def step_rules() -> str:
    """A rule for each class that `step_class` gives a colour."""
    names = ["nan", *(f"{hue}{step}" for hue in _HUES for step in range(1, STEPS + 1))]
    return "".join(
        f".pellucid .{name}{{background:var(--{name});color:var(--on-{name})}}" for name in names
    )
