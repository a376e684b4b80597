"""Diagram: a decoder laid out, to be drawn as SVG, PNG, PDF, Mermaid or text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from pellucid.errors import PellucidError, did_you_mean
from pellucid.files import write_whole
from pellucid.views.diagram.grid import Grid, lay_out
from pellucid.views.diagram.paint import paint
from pellucid.views.diagram.picture import Picture
from pellucid.views.diagram.structure import Structure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AUTO = "auto"
"""Light or dark as the reader's own surroundings are; PNG and PDF, which cannot know, are light."""
ENDINGS = {
    **{".svg": "svg", ".png": "png", ".pdf": "pdf"},
    **{".mmd": "mermaid", ".mermaid": "mermaid", ".txt": "txt"},
}
FORMATS = tuple(dict.fromkeys(ENDINGS.values()))
BINARY = frozenset({"png", "pdf"})
"""What no terminal shows: it is written to a file only."""


@dataclass(frozen=True, repr=False)
class Diagram:
    """What is to be seen of a decoder, and a title; `structure` says it without any places."""

    structure: Structure
    title: str = ""

    @cached_property
    def grid(self) -> Grid:
        """Every box with its row and its column."""
        return lay_out(self.structure)

    @cached_property
    def picture(self) -> Picture:
        """Shapes with places, in pixels."""
        return paint(self.grid, self.title)

    def svg(self, *, theme: str = AUTO) -> str:
        """A document with real text; `theme` is "auto", "light" or "dark".

        Raises:
            PellucidError: there is no such theme.
        """
        from pellucid.views.diagram.svg_file import to_svg

        check_theme(theme)
        return to_svg(self.picture, theme)

    def mermaid(self) -> str:
        """A flowchart in Mermaid's language, without places."""
        from pellucid.views.diagram.mermaid_text import to_mermaid

        return to_mermaid(self.structure, self.title)

    def text(self, *, width: int = 80, encoding: str = "utf-8") -> str:
        """Lines of at most `width` columns, in characters that `encoding` has."""
        from pellucid.views.diagram.plain_text import to_text

        return to_text(self.grid, self.title, width=width, encoding=encoding)

    def figure(self, *, theme: str = AUTO) -> Figure:
        """A matplotlib figure of the same picture.

        Raises:
            PellucidError: there is no such theme, or the diagram is too high for one page.
        """
        from pellucid.views.diagram.figure import to_figure
        from pellucid.views.figures.fonts import drawable

        check_theme(theme)
        # Code points take more room than the characters that they stand for.
        tokens = tuple(map(drawable, self.structure.tokens))
        spelt = replace(self.structure, tokens=tokens)
        picture = paint(lay_out(spelt), drawable(self.title))
        return to_figure(picture, "light" if theme == AUTO else theme)

    def save(
        self, path: str | PathLike[str], *, format: str | None = None, theme: str = AUTO
    ) -> Path:
        """Write the diagram to a file; returns its path.

        Args:
            path: where to.
            format: "svg", "png", "pdf", "mermaid" or "txt"; as the path's ending says unless given.
            theme: "auto", "light" or "dark".

        Raises:
            PellucidError: the format is not known or not that of the ending, or the file cannot
                be written.
        """
        path = Path(path)
        kind = format_of(path, format)
        if kind in BINARY:
            from pellucid.views.figures.save import write_figure

            return write_figure(self.figure(theme=theme), path)
        writers: Mapping[str, Callable[[], str]] = {
            "svg": lambda: self.svg(theme=theme),
            "mermaid": self.mermaid,
            "txt": self.text,
        }
        written = writers[kind]().encode("utf-8", "backslashreplace")
        try:
            write_whole(path, lambda draft: draft.write_bytes(written))
        except OSError as error:
            raise PellucidError(f"{path} cannot be written: {error.strerror or error}.") from None
        return path

    def __repr__(self) -> str:
        return self.text()

    def _repr_svg_(self) -> str:
        return self.svg()


def check_theme(theme: str) -> None:
    """Raise PellucidError where there is no such theme."""
    if theme not in (known := (AUTO, "light", "dark")):
        near = did_you_mean(theme, known) or f" There are {', '.join(known)}."
        raise PellucidError(f'There is no theme "{theme}".{near}')


def format_of(path: Path | None, format: str | None) -> str:
    """The format that is asked for, or that a path's ending stands for; without either "txt".

    Raises:
        PellucidError: it is not known, or the two are not the same.
    """
    if format is not None and format not in FORMATS:
        near = did_you_mean(format, FORMATS) or f" There are {', '.join(FORMATS)}."
        raise PellucidError(f'There is no format "{format}".{near}')
    if path is None:
        return format or "txt"
    ending = ENDINGS.get(path.suffix.lower())
    if ending is None and format is None:
        raise PellucidError(f"{path} has no ending of a diagram: give {', '.join(ENDINGS)}.")
    if ending is not None and format is not None and ending != format:
        raise PellucidError(f"{path} is the name of a file for {ending}, not for {format}.")
    return format or str(ending)
