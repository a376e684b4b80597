"""A page of a model and a text: to be saved, or looked at in a notebook."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from pellucid.files import write_whole
from pellucid.views.explorer.document import document
from pellucid.views.html.page import refused

SANDBOX = "allow-scripts allow-forms allow-downloads"
"""What the page may do in a notebook; its own policy lets no form be sent anywhere."""
HEIGHT = 720
"""Pixels of the page in a notebook."""


@dataclass(frozen=True, eq=False, repr=False)
class ExplorerPage:
    """One HTML file in which every number answers; it needs no network, and no Python.

    In a notebook it shows itself, in a frame that reaches nothing around it.
    """

    data: Mapping[str, Any]
    note: str = ""
    """What a notebook says below it."""

    @cached_property
    def html(self) -> str:
        """The whole document.

        Raises:
            PellucidError: this installation has no built page.
        """
        return document(self.data)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to a file; returns its path.

        Raises:
            PellucidError: it cannot be written.
        """
        path, page = Path(path), self.html
        with refused(path):
            write_whole(path, lambda draft: draft.write_text(page, encoding="utf-8"))
        return path

    def __repr__(self) -> str:
        size = len(self.html.encode()) / 1e6
        return f"<Explorer of {self.data['title']}: {size:.1f} MB; save it with .save(path)>"

    def _repr_html_(self) -> str:
        """A frame with the page in it: exported notebooks keep it, and show it offline."""
        frame = (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="{SANDBOX}" '
            f'allow="clipboard-write" title="Explorer" '
            f'style="width:100%;height:{HEIGHT}px;border:0"></iframe>'
        )
        return frame + (f"<p>{html.escape(self.note)}</p>" if self.note else "")
