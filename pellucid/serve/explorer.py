"""A model's explorer as Python hands it out: a page by itself, or one that the kernel answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pellucid.errors import PellucidError
from pellucid.serve.answers import Answers
from pellucid.serve.limits import Limits
from pellucid.serve.runs import Runs
from pellucid.showing import Page
from pellucid.views.explorer import to_page
from pellucid.views.explorer.data import runs_alone
from pellucid.views.explorer.document import NOTEBOOK
from pellucid.views.explorer.page import HEIGHT, ExplorerPage
from pellucid.views.html import to_html
from pellucid.views.html.element import element

if TYPE_CHECKING:
    from pellucid.model.model import Model
    from pellucid.serve.widget import ExplorerWidget
    from pellucid.trace.trace import Trace

KEPT = 2**28
"""Bytes of the runs that a notebook keeps for one page: it may have many pages."""
INSTALL = "pip install 'pellucid[notebook]'"
NEEDED = f"A live page needs anywidget, which is not installed: {INSTALL}."
NOTE = f"One text's trace; for a page that runs any text: {INSTALL}"
LIVE = (
    "Answered by this notebook's kernel. Where no page is to be seen, run the cell again; with "
    "live=False the notebook keeps a page of this one text."
)


def to_explorer(trace: Trace, *, model: Model, live: bool | None, **options: Any) -> Page:
    """A model's explorer, opened at a trace.

    Args:
        trace: what it opens with.
        model: what made the trace.
        live: whether a notebook's kernel answers; None where the page cannot run the model by
            itself, and anywidget is there.
        **options: those of `pellucid.views.explorer.data.page_data`.

    Raises:
        PellucidError: a live page is asked for without anywidget, or as `page_data`.
    """
    can, alone = find_spec("anywidget") is not None, runs_alone(trace)
    if live and not can:
        raise PellucidError(NEEDED)
    if live or (live is None and can and not alone):
        return LiveExplorer(model, trace, options)
    page = to_page(trace, **options)
    return page if alone or live is False else replace(page, note=NOTE)


@dataclass(frozen=True, eq=False, repr=False)
class LiveExplorer:
    """In a notebook a page whose questions the kernel answers; saved, a page by itself."""

    model: Model
    trace: Trace
    options: Mapping[str, Any]

    @cached_property
    def alone(self) -> ExplorerPage:
        """The page that needs no kernel.

        Raises:
            PellucidError: the trace is too large for a page.
        """
        return to_page(self.trace, **self.options)

    @property
    def html(self) -> str:
        """The whole document of the page that needs no kernel.

        Raises:
            PellucidError: as `alone`, or this installation has no built page.
        """
        return self.alone.html

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page that needs no kernel to a file; returns its path.

        Raises:
            PellucidError: as `html`, or it cannot be written.
        """
        return self.alone.save(path)

    @cached_property
    def widget(self) -> ExplorerWidget:
        """What a notebook shows."""
        from pellucid.serve.widget import ExplorerWidget

        page = to_page(self.trace, server=NOTEBOOK, **self.options)
        answers = Answers(Runs(self.model, Limits(kept=KEPT), first=self.trace))
        return ExplorerWidget(page.html, answers, instead=to_html(self.trace), height=HEIGHT)

    def __repr__(self) -> str:
        title = self.options["title"]
        return f"<Explorer of {title}: live in a notebook; save one text's with .save(path)>"

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget; exported notebooks show the text's tensors as a table in its place."""
        bundle = self.widget._repr_mimebundle_()
        assert bundle is not None
        data, metadata = bundle
        return {**data, "text/html": to_html(self.trace), "text/plain": repr(self)}, metadata

    def _ipython_display_(self) -> None:
        """Show the widget, and below it what to do where a notebook is opened without its kernel.

        JupyterLab then has an error in the widget's place, although there is HTML beside it.
        """
        from IPython.core.display_functions import publish_display_data

        data, metadata = self._repr_mimebundle_()
        publish_display_data(data, metadata)
        publish_display_data({"text/html": element("p", LIVE), "text/plain": LIVE})
