"""From rows and columns to pixels: how high each row is, where each column stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from pellucid.views.diagram.faces import CIRCLE, Face, face
from pellucid.views.diagram.grid import Grid, Place
from pellucid.views.diagram.lettering import STYLES
from pellucid.views.diagram.picture import Point
from pellucid.views.diagram.structure import Box, Frame, Line

ARROW = 18.0
"""The room above a row for the arrows that lead into it."""
BUS = 16.0
"""The room above that for lines that go across."""
LITTLE = 8.0
"""The room in their place where none do."""
PANEL_TOP, PANEL_SIDE = 20.0, 12.0
FRAME_TOP, FRAME_SIDE = 34.0, 16.0
BESIDE = 26.0
"""The least room between things in one row."""
LABEL_GAP = 10.0
PILL_GAP, PILL_PADDING = 22.0, 9.0


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle by its sides."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class Geometry:
    """Pixels of a grid: the spine is at x = 0, the first row begins at y = 0 or below."""

    grid: Grid

    @cached_property
    def faces(self) -> dict[str, Face]:
        structure = self.grid.structure
        return {box.name: face(box, structure.depth) for box in structure.boxes}

    def is_circle(self, box: Box) -> bool:
        """Additions to the stream are circles, their words to the left, where nothing else is."""
        return box.adds and self.grid.places[box.name].column == 0

    @cached_property
    def column_widths(self) -> dict[int, float]:
        """Boxes of one column are of one width."""
        widths: dict[int, float] = {}
        for box in self.grid.structure.boxes:
            if not self.is_circle(box):
                column = self.grid.places[box.name].column
                widths[column] = max(widths.get(column, 0.0), self.faces[box.name].width)
        return widths

    @cached_property
    def crossed(self) -> frozenset[int]:
        """The rows above which lines go across."""
        ends = ((line.source, line.target) for line in self.grid.structure.lines)
        places = ((self.grid.places[source], self.grid.places[target]) for source, target in ends)
        return frozenset(here.row + 1 for here, there in places if here.column < there.column)

    @cached_property
    def heights(self) -> tuple[float, ...]:
        """The height of each row."""
        return tuple(
            max(map(self.box_height, boxes), default=0.0) for boxes in self.grid.boxes_in_row
        )

    def box_height(self, box: Box) -> float:
        """How high a box is, or the words beside a circle."""
        written = self.faces[box.name]
        return written.text_height if self.is_circle(box) else written.height

    def rows_of(self, frame: Frame) -> tuple[int, int]:
        """The first and the last row of what is in a frame."""
        rows = [self.grid.places[name].row for name in frame.boxes]
        return min(rows), max(rows)

    @cached_property
    def tops(self) -> tuple[float, ...]:
        """Where each row begins."""
        frames = [self.rows_of(frame) for frame in self.grid.structure.frames]
        panels = [self.rows_of(panel) for panel in self.grid.structure.panels]
        y, tops = 0.0, []
        for row, height in enumerate(self.heights):
            y += self.above(row)
            y += BUS if row in self.crossed else LITTLE * bool(row)
            y += FRAME_TOP * any(first == row for first, _ in frames)
            y += FRAME_SIDE * any(last == row - 1 for _, last in frames)
            y += PANEL_SIDE * any(last == row - 1 for _, last in panels)
            tops.append(y)
            y += height
        return tuple(tops)

    def above(self, row: int) -> float:
        """From a row up to where lines go across."""
        panels = (self.rows_of(panel)[0] for panel in self.grid.structure.panels)
        given = any(self.pills_on_top(box) for box in self.grid.boxes_in_row[row])
        return ARROW + PANEL_TOP * (row in panels) + (STYLES["pill"].leading + 8 + ARROW) * given

    def bus(self, row: int) -> float:
        """Where lines go across above a row."""
        return self.tops[row] - self.above(row)

    def pills_on_top(self, box: Box) -> bool:
        """What a run is given stands above a box that reads no other, else to its left."""
        return bool(box.inputs) and box.main is None

    def pill_width(self, name: str) -> float:
        return STYLES["pill"].width(name) + 2 * PILL_PADDING

    def reach(self, box: Box) -> tuple[float, float]:
        """How far a box goes to the left and to the right of its column, with all beside it."""
        if self.is_circle(box):
            return CIRCLE + LABEL_GAP + self.faces[box.name].text_width, CIRCLE
        half = self.half(box)
        pills = [] if self.pills_on_top(box) else [self.pill_width(name) for name in box.inputs]
        return half + (PILL_GAP + max(pills) if pills else 0.0), half

    def half(self, box: Box) -> float:
        """Half of a box's width."""
        return self.column_widths[self.grid.places[box.name].column] / 2

    @cached_property
    def xs(self) -> tuple[float, ...]:
        """Where each column stands: as near as what is beside it in every row allows."""
        xs = [0.0]
        reaches = {self.grid.places[box.name]: self.reach(box) for box in self.grid.structure.boxes}
        for column in range(1, self.grid.columns):
            least = xs[-1] + BESIDE
            for row in range(self.grid.rows):
                if (here := Place(row, column)) not in self.grid.taken:
                    continue
                for other in range(column):
                    if (there := Place(row, other)) in self.grid.taken:
                        right, left = reaches.get(there, (0, 0))[1], reaches.get(here, (0, 0))[0]
                        least = max(least, xs[other] + right + BESIDE + left)
            xs.append(least)
        return tuple(xs)

    def area(self, box: Box) -> Area:
        """Where a box is; for a circle the circle alone."""
        place = self.grid.places[box.name]
        x, middle = self.xs[place.column], self.tops[place.row] + self.heights[place.row] / 2
        if self.is_circle(box):
            return Area(x - CIRCLE, middle - CIRCLE, x + CIRCLE, middle + CIRCLE)
        half, height = self.half(box), self.heights[place.row]
        return Area(x - half, middle - height / 2, x + half, middle + height / 2)

    def whole_area(self, box: Box) -> Area:
        """Where a box is with all that is written beside and above it."""
        own, place = self.area(box), self.grid.places[box.name]
        left, _ = self.reach(box)
        high = self.box_height(box) / 2
        middle = (own.top + own.bottom) / 2
        top = min(own.top, middle - high) if self.is_circle(box) else own.top
        if self.pills_on_top(box):
            top -= ARROW + STYLES["pill"].leading + 8
        x = self.xs[place.column]
        return Area(x - left, top, own.right, max(own.bottom, middle + high))

    def frame_area(self, frame: Frame) -> Area:
        """Around the boxes of a block, the lines across above its first row, and its title."""
        panels = (panel for panel in self.grid.structure.panels if panel.boxes <= frame.boxes)
        inside = map(self.whole_area, self._boxes(frame))
        around = union([*inside, *map(self.panel_area, panels)])
        title = STYLES["frame"].width(frame.title) + 2 * FRAME_SIDE
        return Area(
            min(around.left - FRAME_SIDE, -title),
            self.bus(self.rows_of(frame)[0]) - FRAME_TOP,
            around.right + FRAME_SIDE,
            around.bottom + FRAME_SIDE,
        )

    def panel_area(self, panel: Frame) -> Area:
        """Around the boxes of one half of a block, and its title."""
        around = union(map(self.whole_area, self._boxes(panel)))
        return Area(
            around.left - PANEL_SIDE,
            self.tops[self.rows_of(panel)[0]] - ARROW - PANEL_TOP + 6,
            around.right + PANEL_SIDE,
            around.bottom + PANEL_SIDE,
        )

    def _boxes(self, frame: Frame) -> Iterable[Box]:
        return (box for box in self.grid.structure.boxes if box.name in frame.boxes)

    def route(self, line: Line) -> tuple[Point, ...]:
        """The corners of a line.

        It goes straight down its column; or leaves to the right below the row of its source, and
        comes down on its target; or comes down to its target's row, and joins it from the right.
        """
        boxes = self.grid.structure.by_name
        source, target = self.area(boxes[line.source]), self.area(boxes[line.target])
        here, there = self.grid.places[line.source], self.grid.places[line.target]
        x, to = self.xs[here.column], self.xs[there.column]
        if here.column == there.column:
            return (x, source.bottom), (to, target.top)
        if here.column < there.column:
            across = self.bus(here.row + 1)
            turn = (x, across), (to, across), (to, target.top)
            return turn if self.goes_on(line.source) else ((x, source.bottom), *turn)
        middle = (target.top + target.bottom) / 2
        return (x, source.bottom), (x, middle), (target.right, middle)

    def goes_on(self, name: str) -> bool:
        """Whether a line goes straight down from a box, from which others can leave."""
        lines = (line for line in self.grid.structure.lines if line.source == name)
        return any(self.grid.straight(line.source, line.target) for line in lines)


def union(areas: Iterable[Area]) -> Area:
    """The smallest area around several."""
    found = list(areas)
    return Area(
        min(area.left for area in found),
        min(area.top for area in found),
        max(area.right for area in found),
        max(area.bottom for area in found),
    )
