"""Blocks below and beside each other on one figure, each with room for what belongs to it.

Every block is drawn, what its labels and titles take is measured, and it is drawn anew in the size
that is left. Sizes are in points from the top left corner.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pellucid.views.figures.measure import Extent, Margins, figure_of, margins_of
from pellucid.views.figures.sizes import POINTS, Size
from pellucid.views.figures.style import points
from pellucid.views.scene import Bars, Block, Heading

EDGE = 1.2
"""Around everything, in sizes of the text."""
BELOW, BELOW_HEADING, BESIDE = 2.0, 0.8, 2.5
"""Between a line of blocks and the next, and between blocks of a line, in sizes of the text."""
NARROWEST = 22.0
"""A figure is not cut down to less than so many sizes of the text."""
_PASSES = 3
_WIDEST, _HIGHEST = 2.0, 1.8
"""How far a picture is stretched to fill a slide; its height, in stretches of its width."""
_TRIES = 3
"""How often a larger slide is tried for what is too much for one."""

Draw = Callable[[Block, Axes], None]
Measure = Callable[[Block, float], Extent]


@dataclass(frozen=True)
class Placed:
    """A block in axes of that size, with what belongs to it around them."""

    block: Block
    extent: Extent
    axes: Axes
    around: Margins

    @property
    def across(self) -> float:
        return self.extent.width + self.around.across


Line = list[Placed]


@dataclass(frozen=True)
class Layout:
    """Puts lines of blocks onto a figure, each line as one or more blocks beside each other."""

    figure: Figure
    size: Size
    draw: Draw
    measure: Measure

    def arrange(self, blocks: Sequence[Sequence[Block]]) -> None:
        """Draw the blocks, and give the figure the size that they need."""
        room = self.size.width * POINTS - 2 * self._edge
        if self.size.height is None:
            lines = self._alike(self._laid_out(blocks, room))
            self._place(lines, self._shrunk(lines, room), _height(lines) + 2 * self._edge)
        else:
            self._fill(blocks, self.size.width * POINTS, self.size.height * POINTS)

    def _fill(self, blocks: Sequence[Sequence[Block]], across: float, down: float) -> None:
        """Fill a figure of fixed proportions; what is too much for it makes it larger."""
        scale = 1.0
        for _ in range(_TRIES):
            self.figure.clear()
            room, height = (side * scale - 2 * self._edge for side in (across, down))
            lines = self._laid_out(blocks, room)
            over = _height([_pressed(line) for line in lines]) / height
            if over <= 1.0:
                break
            # Where a row was broken, a larger figure has room for more beside each other, too.
            broken = len(lines) > len(blocks)
            scale *= 1.02 * (over**0.5 if broken else over)
        lines = self._alike(self._stretched(lines, room, height))
        scale = max(scale, (_height(lines) + 2 * self._edge) / down)
        self._place(lines, across * scale, down * scale)

    def _laid_out(self, blocks: Sequence[Sequence[Block]], room: float) -> list[Line]:
        return [line for each in blocks for line in self._lines(each, room)]

    @property
    def _edge(self) -> float:
        return EDGE * points()

    def _lines(self, blocks: Sequence[Block], room: float) -> list[Line]:
        """The blocks beside each other, on more lines where one does not hold them."""
        gap = BESIDE * points()
        lines: list[Line] = [[]]
        used = 0.0
        for block in blocks:
            placed = self._drawn(block, self.measure(block, room))
            least = placed.extent.least + placed.around.across
            if lines[-1] and used + gap + least > room:
                lines.append([])
                used = 0.0
            used += least + (gap if lines[-1] else 0.0)
            lines[-1].append(placed)
        return [part for line in lines if line for part in self._fitted(line, room)]

    def _fitted(self, line: Line, room: float) -> list[Line]:
        """The line no wider than the room, or broken where its blocks cannot give up enough."""
        line = self._shared(line, room)
        if len(line) == 1 or self._across(line) <= room + 1.0:
            return [line]
        for each in line:
            each.axes.remove()
        blocks = [each.block for each in line]
        return [*self._lines(blocks[:-1], room), *self._lines(blocks[-1:], room)]

    def _shared(self, line: Line, room: float) -> Line:
        """The line no wider than the room: its blocks give up width as far as they can."""
        for _ in range(_PASSES):
            over = self._across(line) - room
            if over <= 0.01:
                break
            spare = [max(each.extent.width - each.extent.least, 0.0) for each in line]
            # Where nobody can spare anything, everybody gives alike.
            if sum(spare) < over:
                spare = [each.extent.width for each in line]
            widths = [
                each.extent.width - over * part / sum(spare)
                for each, part in zip(line, spare, strict=True)
            ]
            line = [self._narrowed(each, width) for each, width in zip(line, widths, strict=True)]
        return line

    def _narrowed(self, placed: Placed, width: float) -> Placed:
        """The block in another width, and in the height that it needs there."""
        if abs(width - placed.extent.width) < 0.01:
            return placed
        extent = self.measure(placed.block, width + placed.around.across)
        width = max(width, 2 * points())
        # It only guesses what labels take, and may ask for a little less width than there is.
        height = extent.height * (width / extent.width if extent.square else 1.0)
        return self._redrawn(placed, replace(extent, width=width, height=height))

    def _stretched(self, lines: list[Line], room: float, height: float) -> list[Line]:
        """The pictures as large as a height allows, or as low as it demands."""
        now = lines
        for _ in range(2):  # What labels take changes a little with the size of a picture.
            pictures = [not _words(line) for line in lines]
            taken = _height(now) - sum(_inner(line) for line in compress(now, pictures))
            natural = sum(_inner(line) for line in compress(lines, pictures))
            if not natural:
                break
            share = (height - taken) / natural
            now = [
                self._larger(line, share, room, old) if picture else line
                for line, old, picture in zip(lines, now, pictures, strict=True)
            ]
            if 0 <= height - _height(now) < points() or share > _HIGHEST * _WIDEST:
                break
        return now

    def _larger(self, line: Line, share: float, room: float, old: Line) -> Line:
        """A line of pictures, so many times as high, and wider as far as there is room."""
        gaps = BESIDE * points() * (len(line) - 1)
        fixed = gaps + sum(
            each.around.across + (each.extent.width if each.extent.words else 0) for each in old
        )
        free = sum(each.extent.width for each in line if not each.extent.words)
        wider = max(min((room - fixed) / max(free, 1.0), share, _WIDEST), 1.0)
        higher = min(max(share, _lowest(line)), _HIGHEST * wider)
        return [
            self._redrawn(now, resized(each.extent, wider, higher))
            for each, now in zip(line, old, strict=True)
        ]

    def _alike(self, lines: list[Line]) -> list[Line]:
        """Bars up to the same limit in one width on every line, so that their lengths compare."""
        least: dict[float, float] = {}
        for each in chain.from_iterable(lines):
            if limit := _limit(each.block):
                least[limit] = min(each.extent.width, least.get(limit, each.extent.width))
        return [
            [
                self._redrawn(each, replace(each.extent, width=least[limit]))
                if (limit := _limit(each.block)) and each.extent.width > least[limit] + 0.01
                else each
                for each in line
            ]
            for line in lines
        ]

    def _across(self, line: Line) -> float:
        return sum(each.across for each in line) + BESIDE * points() * (len(line) - 1)

    def _drawn(self, block: Block, extent: Extent) -> Placed:
        """A block in axes of that size, somewhere on the figure."""
        across, down = (side * POINTS for side in self.figure.get_size_inches())
        place = (0.0, 0.0, extent.width / across, max(extent.height, 1.0) / down)
        axes = self.figure.add_axes(place)
        self.draw(block, axes)
        return Placed(block, extent, axes, margins_of(axes))

    def _redrawn(self, placed: Placed, extent: Extent) -> Placed:
        placed.axes.remove()
        return self._drawn(placed.block, extent)

    def _shrunk(self, lines: list[Line], room: float) -> float:
        """The width that the lines need, if it is less than there may be."""
        widest = max(map(self._across, lines), default=0.0)
        return max(min(widest, room), NARROWEST * points()) + 2 * self._edge

    def _place(self, lines: list[Line], across: float, down: float) -> None:
        """Set the figure's size and put every block where it belongs."""
        self.figure.set_size_inches(across / POINTS, down / POINTS)
        top = self._edge
        # What does not fill a slide stands in its middle, all of it as far from the left.
        spare = across - 2 * self._edge - max(map(self._across, lines), default=0.0)
        start = self._edge + (max(spare, 0.0) / 2 if self.size.height is not None else 0.0)
        for place, line in enumerate(lines):
            left = start
            above = max(each.around.top for each in line)
            for each in line:
                left += each.around.left
                _put(each, left, top + above, across, down)
                left += each.extent.width + each.around.right + BESIDE * points()
            top += _down(line) + (_gap(lines, place) if place + 1 < len(lines) else 0.0)


def _limit(block: Block) -> float | None:
    """How long the bars of a block can be."""
    return block.limit if isinstance(block, Bars) else None


def resized(extent: Extent, wider: float, higher: float) -> Extent:
    """The extent so many times as large; words keep theirs."""
    if extent.words:
        return extent
    return replace(extent, width=extent.width * wider, height=extent.height * higher)


def _put(placed: Placed, left: float, top: float, across: float, down: float) -> None:
    """The axes where they belong, behind those that were put before them."""
    axes, figure = placed.axes, figure_of(placed.axes)
    width, height = placed.extent.width, max(placed.extent.height, 1.0)
    bottom = down - top - height
    axes.set_position((left / across, bottom / down, width / across, height / down))
    figure.delaxes(axes)
    figure.add_axes(axes)


def _words(line: Line) -> bool:
    return all(each.extent.words for each in line)


def _inner(line: Line) -> float:
    return max(each.extent.height for each in line)


def _lowest(line: Line) -> float:
    """How far the pictures of a line can be pressed."""
    return max((each.extent.lowest for each in line if not each.extent.words), default=1.0)


def _pressed(line: Line) -> Line:
    """The line as low as it can be."""
    lowest = _lowest(line)
    return [replace(each, extent=resized(each.extent, 1.0, lowest)) for each in line]


def _down(line: Line) -> float:
    """How high a line is: the axes of all its blocks begin at one height."""
    top = max(each.around.top for each in line)
    return top + max(each.extent.height + each.around.bottom for each in line)


def _height(lines: list[Line]) -> float:
    gaps = sum(_gap(lines, place) for place in range(len(lines) - 1))
    return sum(map(_down, lines)) + gaps


def _gap(lines: list[Line], place: int) -> float:
    """The space below a line."""
    heading = isinstance(lines[place][0].block, Heading)
    return (BELOW_HEADING if heading else BELOW) * points()
