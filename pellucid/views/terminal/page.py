"""The page a drawing is made for: its width and what it can carry."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass

from rich.text import Text

Lines = tuple[Text, ...]
"""A drawing: one rich text a line, none of them wider than its page."""

_WIDEST = 200


@dataclass(frozen=True)
class Page:
    """How many columns there are, how many colours (0: none), and what characters can be written.

    `lines` is how long one matrix or table may grow before it is reduced, with words that say so.
    """

    width: int = 80
    colours: int = 0
    encoding: str = "utf-8"
    lines: int = 60

    @property
    def unicode(self) -> bool:
        """Whether every character can be written."""
        return self.encoding.lower().startswith("utf")

    @classmethod
    def here(cls, *, width: int | None = None) -> Page:
        """A page without colours, as wide as the terminal (100 columns where there is none)."""
        columns = width or min(shutil.get_terminal_size((100, 24)).columns, _WIDEST)
        return cls(width=columns, encoding=getattr(sys.stdout, "encoding", None) or "utf-8")
