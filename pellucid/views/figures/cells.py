"""The cells of a matrix: their colours, and their numbers in the largest type that fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pellucid.views.figures.colours import ink_on
from pellucid.views.figures.reduction import Shown
from pellucid.views.figures.scales import Scale
from pellucid.views.figures.style import points
from pellucid.views.figures.text import label, width
from pellucid.views.figures.theme import Theme
from pellucid.views.numbers import NumberFormat

SIZES = (0.85, 0.77, 0.7)
"""What is tried for numbers, in sizes of the text; smaller type cannot be read."""
LARGER = (1.3, 1.15, 1.0)
"""What is tried first, where cells are large."""
AIRY = 2.2
"""The height of a cell with so large a number, in sizes of its type."""
PADDING = 0.9
"""What a number keeps clear of its cell's edges, both together, in sizes of its type."""
HEIGHT = 1.35
"""The least height of a cell with a number, in sizes of its type."""
MOST = 4096
"""More numbers cannot be read, whatever the size."""
SQUARES = 1024
"""So many cells are drawn as squares, which stay sharp in vector formats; more as one image."""
SHORTEST_WORD, LONGEST_WORD = 2.5, 6.0
"""What of a word is left at least, where words stand in cells, and what is drawn of it at most, in
sizes of its type."""
Words = tuple[tuple[str, ...], ...]
BORDER = 0.5
"""Cells smaller than this, in sizes of the text, have no border."""


@dataclass(frozen=True)
class Numbers:
    """The cells written out `[row, column]`, and the size of the type that they are written in."""

    texts: list[list[str]]
    size: float

    @property
    def across(self) -> float:
        """The width of the widest, in points, and what it keeps clear of its cell's edges."""
        texts = {text for row in self.texts for text in row}
        # Letter by letter, as measuring each number would take long.
        widest = max(sum(width(letter, 1.0) for letter in text) for text in texts)
        return (widest + PADDING) * self.size


def draw_cells(
    shown: Shown, scale: Scale, cell: tuple[float, float], axes: Axes, theme: Theme
) -> None:
    """Draw each cell in its colour; those without a finite number, and gaps, in that of paper."""
    rows, columns = shown.values.shape
    finite = np.isfinite(shown.values) & ~shown.gaps & ~shown.masked
    # In half precision, and at the end of single, a difference of two numbers is none.
    values = np.ma.masked_where(~finite, shown.values.astype(np.float64))
    if shown.values.size > SQUARES:
        axes.imshow(
            values, cmap=scale.colours, norm=scale.norm, aspect="auto", interpolation="nearest"
        )
    else:
        bordered = min(cell) >= BORDER * points()
        axes.pcolormesh(
            np.arange(columns + 1) - 0.5,
            np.arange(rows + 1) - 0.5,
            values,
            cmap=scale.colours,
            norm=scale.norm,
            edgecolors=(theme.paper if scale.coloured else theme.grid) if bordered else "face",
            linewidth=points() / 12 if bordered else 0.0,
        )
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(rows - 0.5, -0.5)


def draw_numbers(shown: Shown, numbers: Numbers, scale: Scale, axes: Axes, theme: Theme) -> None:
    """Write the numbers, black or white after the colour of their cells; dots into the gaps."""
    gaps = shown.gaps
    for (row, column), number in np.ndenumerate(shown.values):
        if shown.masked[row, column] or np.isinf(number):
            continue  # Hatched.
        text, ink = numbers.texts[row][column], theme.ink
        if gaps[row, column]:
            text = "⋮" if shown.rows[row] is None else "…"
        elif np.isnan(number):
            ink = ink_on(theme.not_a_number)
        elif scale.coloured:
            ink = ink_on(scale.colour(number))
        axes.text(
            column,
            row,
            text,
            ha="center",
            va="center_baseline",
            fontsize=numbers.size,
            color=ink,
            in_layout=False,  # Inside the axes, and many: not to be measured with what is outside.
        )


def fitting(
    values: NDArray[Any], cell: tuple[float, float], *, most: int | None = None
) -> Numbers | None:
    """The numbers, with so many decimals at most, as they fit into cells of that width and height,
    if they do.
    """
    across, down = (side + 1e-6 for side in cell)
    for numbers in _ways(values, (*LARGER, *SIZES), most):
        air = AIRY if numbers.size > SIZES[0] * points() else HEIGHT
        if numbers.across <= across and air * numbers.size <= down:
            return numbers
    return None


def lettering(words: Words, cell: tuple[float, float]) -> Numbers | None:
    """The words as they fit into cells of that width and height, long ones shortened.

    None where cells are too low to be read, or too narrow for a piece of a word.
    """
    across, down = (side + 1e-6 for side in cell)
    sizes = [size * points() for size in SIZES if HEIGHT * size * points() <= down]
    if not sizes or across < (SHORTEST_WORD + PADDING) * sizes[-1]:
        return None
    size = next((each for each in sizes if word_width(words, size=each) <= across), sizes[-1])
    room = across - PADDING * size
    return Numbers([[label(word, room, size) for word in row] for row in words], size)


def word_width(words: Words, *, narrow: bool = False, size: float | None = None) -> float:
    """The width of a cell that holds the longest of the words, or enough of it to be read."""
    size = (SIZES[-1] if narrow else SIZES[0]) * points() if size is None else size
    if sum(map(len, words)) > MOST:
        return 0.0
    most = (SHORTEST_WORD if narrow else LONGEST_WORD) * size
    each = {word for row in words for word in row}
    return max(width(label(word, most, size), size) for word in each) + PADDING * size


def cell_width(values: NDArray[Any], *, narrow: bool = False, most: int | None = None) -> float:
    """The width of a cell that holds the numbers in the best way, or in the narrowest; 0 if none.

    There is none for more numbers than can be read. They have `most` decimals at most.
    """
    ways = list(_ways(values, SIZES, most))
    return ways[-1 if narrow else 0].across if ways else 0.0


def _ways(values: NDArray[Any], sizes: Iterable[float], most: int | None) -> Iterator[Numbers]:
    """How the numbers could be written, the best way first: smaller type, then fewer decimals."""
    if not 0 < values.size <= MOST:
        return
    for form in _forms(values, most):
        texts = [[form.text(number) for number in row] for row in values.tolist()]
        yield from (Numbers(texts, size * points()) for size in sizes)


def _forms(values: NDArray[Any], most: int | None) -> list[NumberFormat]:
    """With as many decimals as a terminal shows; where there are three, two would do."""
    if values.size == 1:
        return [_Alone(0)]
    best = NumberFormat.fitting(values, most=most)
    if best.scientific or best.decimals != 3:
        return [best]
    return [best, replace(best, decimals=2)]


class _Alone(NumberFormat):
    """A number by itself has six digits."""

    def text(self, number: float) -> str:
        return f"{number:.6g}" if np.isfinite(number) else super().text(number)
