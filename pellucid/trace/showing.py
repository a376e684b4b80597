"""How a trace shows itself: a renderer by the name of its medium, imported on first use.

So that a trace can print itself although the views stand below it in the house.
"""

from __future__ import annotations

from importlib import import_module

RENDERERS = {"terminal": "pellucid.views.terminal"}


def to_text(thing: object) -> str:
    """What a terminal shows of a trace or a tensor, as plain text."""
    renderer = import_module(RENDERERS["terminal"])
    return str(renderer.to_text(thing))
