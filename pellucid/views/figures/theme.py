"""The colours of a figure, on light paper and on dark.

Blue for what is positive against orange for what is negative holds for every common kind of colour
blindness; violet is for probabilities. The scales go from paper, at zero, through evenly spaced
colours of OKLab, so that equal steps of a number look like equal steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pellucid.errors import PellucidError, did_you_mean
from pellucid.views.figures.colours import mixed

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

_STEPS = 64
"""Colours from zero to one end of a scale."""


@dataclass(frozen=True)
class Theme:
    """Colours by what they are for, each as `#rrggbb`."""

    name: str
    paper: str
    ink: str
    quiet: str
    grid: str
    series: tuple[str, ...]
    positive: str
    negative: str
    probability: str
    not_a_number: str

    @cached_property
    def diverging(self) -> Colormap:
        """From negative through paper, at zero, to positive."""
        below = [mixed(self.negative, self.paper, step / _STEPS) for step in range(_STEPS)]
        above = [mixed(self.paper, self.positive, step / _STEPS) for step in range(_STEPS + 1)]
        return self._scale("diverging", [*below, *above])

    @cached_property
    def sequential(self) -> Colormap:
        """From paper, at zero, to the colour of probabilities."""
        steps = 2 * _STEPS
        colours = [mixed(self.paper, self.probability, step / steps) for step in range(steps + 1)]
        return self._scale("sequential", colours)

    def _scale(self, kind: str, colours: list[str]) -> Colormap:
        from matplotlib.colors import ListedColormap

        return ListedColormap(colours, name=f"pellucid {self.name} {kind}")


LIGHT = Theme(
    name="light",
    paper="#ffffff",
    ink="#1b1f24",
    quiet="#5f6670",
    grid="#d5d9de",
    series=("#1a66b8", "#bf560a", "#7443c4", "#16796a", "#a8325f", "#6d6315"),
    positive="#0b57a4",
    negative="#b34700",
    probability="#5b2ca8",
    not_a_number="#c0003c",
)
DARK = Theme(
    name="dark",
    paper="#15181d",
    ink="#eceff3",
    quiet="#a3abb6",
    grid="#3a414b",
    series=("#62aef5", "#f29a4b", "#b79af7", "#4fc4ae", "#f087ac", "#cdbf58"),
    positive="#5fb0ff",
    negative="#ff9a45",
    probability="#bda2ff",
    not_a_number="#ff4f78",
)
THEMES = {"light": LIGHT, "dark": DARK}


def theme(which: str | Theme) -> Theme:
    """The theme of that name, or the one given.

    Raises:
        PellucidError: there is none of that name.
    """
    if isinstance(which, Theme):
        return which
    if which not in THEMES:
        known = did_you_mean(which, THEMES) or " Choose light or dark."
        raise PellucidError(f"There is no theme {which!r}.{known}")
    return THEMES[which]
