"""How a thing shows itself: a renderer by the name of its medium, imported on first use.

So that a config, a graph or a trace can show itself although the views stand above them all.
"""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RENDERERS = {
    "text": "pellucid.views.terminal",
    "html": "pellucid.views.html",
    "figure": "pellucid.views.figures",
    "animation": "pellucid.views.figures",
    "page": "pellucid.views.explorer",
    "explorer": "pellucid.serve.explorer",
}
"""Each module has a function `to_` and the medium: `to_text`, `to_page`."""
SPACE = "␣"
"""What a label has for a space."""


class Page(Protocol):
    """A document of its own; `pellucid.views.explorer.page` has the one there is."""

    @property
    def html(self) -> str:
        """The whole document."""
        ...

    def save(self, path: str | PathLike[str]) -> Path:
        """Write it to a file; returns its path."""
        ...


def to_text(thing: object) -> str:
    """What a terminal shows of a thing, as plain text."""
    return str(renderer("text")(thing))


def to_html(thing: object) -> str:
    """What a notebook or a page shows of a thing, as a piece of HTML."""
    return str(renderer("html")(thing))


def to_figure(thing: object, **options: Any) -> Figure:
    """A thing as a matplotlib figure; the options are those of `pellucid.views.figures`."""
    figure: Figure = renderer("figure")(thing, **options)
    return figure


def to_page(thing: object, **options: Any) -> Page:
    """A thing as a page of its own; the options are those of `pellucid.views.explorer`."""
    page: Page = renderer("page")(thing, **options)
    return page


def to_explorer(thing: object, **options: Any) -> Page:
    """A model's trace as a page; the options are those of `pellucid.serve.explorer`."""
    page: Page = renderer("explorer")(thing, **options)
    return page


def to_animation(thing: object, path: str | Path, **options: Any) -> Path:
    """A thing as a film in a file; the options are those of `pellucid.views.figures`."""
    written: Path = renderer("animation")(thing, path, **options)
    return written


def renderer(medium: str) -> Any:
    """The function that shows things in a medium."""
    return getattr(import_module(RENDERERS[medium]), f"to_{medium}")
