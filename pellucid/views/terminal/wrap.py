"""Breaking lines at spaces, by columns rather than by characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len, chop_cells
from rich.text import Text

from pellucid.views.terminal.page import Lines


def wrap(text: Text, width: int) -> Lines:
    """Break a styled line into lines of at most `width` columns; a longer word is cut."""
    breaks: list[int] = []
    place = used = 0
    for piece in _pieces(text.plain, max(width, 2)):
        size = cell_len(piece.rstrip())
        if used and used + size > width:
            breaks.append(place)
            used = 0
        place += len(piece)
        used += cell_len(piece)
    lines = text.divide(breaks)
    for line in lines:
        line.rstrip()
    return tuple(lines)


def _pieces(plain: str, width: int) -> Iterator[str]:
    """Words with the space after them; those too wide for a line in pieces."""
    for word in re.findall(r"\s*\S+\s*|\s+$", plain):
        yield from chop_cells(word, width) if cell_len(word.rstrip()) > width else (word,)
