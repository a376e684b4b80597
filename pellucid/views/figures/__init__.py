"""Figures by matplotlib, which is loaded when the first is asked for.

No window is opened and nothing global is touched: a figure belongs to whoever asked for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pellucid.views.figures.animation import to_animation as to_animation
    from pellucid.views.figures.draw import draw_figure as draw_figure
    from pellucid.views.figures.save import write_figure as write_figure
    from pellucid.views.figures.things import to_figure as to_figure

_HOMES = {
    "draw_figure": "pellucid.views.figures.draw",
    "to_animation": "pellucid.views.figures.animation",
    "to_figure": "pellucid.views.figures.things",
    "write_figure": "pellucid.views.figures.save",
}

__all__ = ["draw_figure", "to_animation", "to_figure", "write_figure"]


def __getattr__(name: str) -> object:
    """Import a name from its home, once (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
