"""The settings of matplotlib that hold while a figure is drawn, whatever the user has set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import Any

import matplotlib

from pellucid.views.figures.fonts import families, quietly
from pellucid.views.figures.sizes import Size
from pellucid.views.figures.theme import Theme

Settings = dict[Any, Any]
"""Of matplotlib: its own type of them lists each by name."""

DRAWN_WITH: Settings = {"text.hinting": "no_hinting"}
"""What matplotlib asks for only as it draws. Letters that are not moved onto whole pixels stand
where they were measured to stand, at every resolution."""

_LOOKS = {
    *("font", "text", "mathtext", "axes", "xtick", "ytick", "figure", "savefig", "lines", "patch"),
    *("hatch", "grid", "legend", "image", "path", "markers", "scatter", "pcolormesh", "hist"),
}
_RELATIVE = {"title": 1.15, "text": 1.0, "small": 0.85}
_TURN = RLock()
"""The settings are those of the whole process: one thread draws at a time."""


@contextmanager
def style(theme: Theme, size: Size) -> Iterator[None]:
    """Draw inside in this theme and size; the user's own settings are back afterwards."""
    with held({**_defaults(), **_settings(theme, size)}):
        yield


@contextmanager
def held(settings: Settings) -> Iterator[None]:
    """Have matplotlib draw inside with some settings, other threads waiting for their turn."""
    with _TURN, matplotlib.rc_context(settings), quietly():
        yield


def points(role: str = "text") -> float:
    """The size of type in points, inside `style`: of a title, of text, or of small text."""
    return _RELATIVE[role] * float(matplotlib.rcParams["font.size"])


def _defaults() -> Settings:
    """What matplotlib itself would draw with; nothing about windows, which would load them."""
    defaults: Mapping[Any, Any] = matplotlib.rcParamsDefault
    return {key: value for key, value in defaults.items() if key.partition(".")[0] in _LOOKS}


def _settings(theme: Theme, size: Size) -> Settings:
    return {
        "font.size": size.text,
        "font.family": list(families()),
        **DRAWN_WITH,
        # A dollar in a token is a dollar.
        "text.parse_math": False,
        "text.color": theme.ink,
        "axes.facecolor": theme.paper,
        "axes.edgecolor": theme.quiet,
        "axes.labelcolor": theme.quiet,
        "axes.linewidth": size.text / 14,
        "axes.labelsize": size.text,
        "xtick.color": theme.quiet,
        "ytick.color": theme.quiet,
        "xtick.labelcolor": theme.ink,
        "ytick.labelcolor": theme.ink,
        "figure.facecolor": theme.paper,
        "savefig.facecolor": theme.paper,
        "hatch.linewidth": size.text / 14,
        "lines.linewidth": size.text / 6,
    }
