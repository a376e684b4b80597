"""The foot of a drawing: its axis to the right, with ticks, their numbers, and what they count."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from pellucid.views.labels import clean
from pellucid.views.terminal import theme
from pellucid.views.terminal.axes import DOTS_ACROSS, Frame
from pellucid.views.terminal.labels import fit
from pellucid.views.terminal.page import Page
from pellucid.views.terminal.prose import INDENT


def draw_foot(
    frame: Frame, ticks: Sequence[float], texts: Sequence[str], label: str, side: int, page: Page
) -> list[Text]:
    """Draw a line with ticks below a frame with `side` columns at its left, then the numbers."""
    rule, numbers = ["─"] * frame.width, ""
    for tick, text in zip(ticks, texts, strict=True):
        place = frame.column(tick) // DOTS_ACROSS
        start = max(place - len(text) // 2 + 1, 0)
        if start > len(numbers) or not numbers:
            rule[place] = "┬"
            numbers = numbers.ljust(start) + text
    before = " " * (INDENT + side + 1)
    said = fit(clean(label), min(cell_len(clean(label)), frame.width))
    line = Text().append(f"{before}{numbers}  {said}", theme.QUIET)
    if line.cell_len > page.width:
        line = Text().append(f"{before}{numbers}\n{before}{said.rjust(frame.width)}", theme.QUIET)
    return [Text().append(before + "└" + "".join(rule), theme.RULE), *line.split("\n")]
