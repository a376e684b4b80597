"""From a laid-out diagram to the picture of it: shapes, one over the other."""

from __future__ import annotations

from collections.abc import Iterator

from pellucid.views.diagram.faces import CIRCLE, PADDING, TAG_GAP, TAG_PADDING, tag_height
from pellucid.views.diagram.geometry import (
    ARROW,
    FRAME_SIDE,
    LABEL_GAP,
    PILL_GAP,
    Area,
    Geometry,
    union,
)
from pellucid.views.diagram.grid import Grid
from pellucid.views.diagram.lettering import STYLES
from pellucid.views.diagram.margins import foot, head
from pellucid.views.diagram.picture import Anchor, Circle, Group, Path, Picture, Rect, Shape, Text
from pellucid.views.diagram.structure import Box, Frame, Line, Structure, shape_words
from pellucid.views.labels import clean

MARGIN = 24.0
CORNER = 7.0
ROLES = {"title": "ink", "name": "ink", "note": "quiet", "shape": "quiet", "equation": "ink"}
"""The colour of each style of text on a box."""


def paint(grid: Grid, title: str = "") -> Picture:
    """Draw a diagram."""
    return _Painter(grid, clean(title)).picture()


class _Painter:
    def __init__(self, grid: Grid, title: str) -> None:
        self.grid = grid
        self.structure: Structure = grid.structure
        self.at = Geometry(grid)
        self.title = title
        adds = (box.shape for box in self.structure.boxes if self.at.is_circle(box))
        self.stream_shape = next(adds, ())
        self.drawing = self.everything()

    def everything(self) -> Area:
        """The area of the diagram itself, without a heading."""
        frames = [self.at.frame_area(frame) for frame in self.structure.frames]
        return union([*frames, *map(self.at.whole_area, self.structure.boxes)])

    def picture(self) -> Picture:
        around = self.drawing
        above, head_height = head(self.title, self.structure, around)
        below, foot_height = foot(self.structure, around)
        left, top = around.left - MARGIN, around.top - MARGIN - head_height
        width = around.right - around.left + 2 * MARGIN
        height = around.bottom - around.top + 2 * MARGIN + head_height + foot_height
        shapes: list[Shape | Group] = [Rect(left, top, width, height, 0, "paper")]
        shapes += [group for frame in self.structure.frames for group in self.frame(frame)]
        shapes += [shape for panel in self.structure.panels for shape in self.panel(panel)]
        shapes += [shape for line in self.by_weight() for shape in self.line(line)]
        shapes += self.dots()
        shapes += [self.box(box) for box in self.structure.boxes]
        shapes += [each.moved(0, around.top - head_height) for each in above]
        shapes += [each.moved(0, around.bottom) for each in below]
        moved = tuple(shape.moved(-left, -top) for shape in shapes)
        return Picture(width, height, self.title or "A decoder", moved)

    def by_weight(self) -> list[Line]:
        """The lines, the stream last, over what leaves it."""
        return sorted(self.structure.lines, key=self.is_stream)

    def is_stream(self, line: Line) -> bool:
        """Whether a line is a piece of the spine on which a position has its one vector."""
        ends = self.grid.places[line.source], self.grid.places[line.target]
        source = self.structure.by_name[line.source]
        return all(end.column == 0 for end in ends) and source.shape == self.stream_shape

    def line(self, line: Line) -> Iterator[Shape]:
        route = self.at.route(line)
        role = "stream" if self.is_stream(line) else "branch"
        yield Path(route, role, arrow=True)

    def dots(self) -> Iterator[Shape]:
        """Where lines leave one that goes on."""
        thick_sources = {line.source for line in self.structure.lines if self.is_stream(line)}
        leaving = {}
        for line in self.structure.lines:
            here, there = self.grid.places[line.source], self.grid.places[line.target]
            if here.column < there.column and self.at.goes_on(line.source):
                leaving[line.source] = self.at.route(line)[0]
        for source, (x, y) in leaving.items():
            thick = source in thick_sources
            yield Circle(x, y, 4.5 if thick else 3, "stream dot" if thick else "branch dot")

    def frame(self, frame: Frame) -> Iterator[Group]:
        area = self.at.frame_area(frame)
        x, y = area.left, area.top
        times = f"× {frame.times:,}"
        shapes: list[Shape] = [
            Rect(x, y, area.right - x, area.bottom - y, 14, "frame"),
            Text(x + FRAME_SIDE, y + 20, frame.title, "frame", "ink"),
        ]
        says = frame.title
        if frame.times > 1:
            width = STYLES["badge"].width(times) + 2 * PADDING
            left = area.right - width - 12
            shapes += [
                Rect(left, y + 9, width, 24, 12, "badge"),
                Text(left + width / 2, y + 21, times, "badge", "badge text", "middle"),
            ]
            says = f"{frame.title}: {frame.times:,} blocks of one structure, one after the other"
        yield Group(frame.title, says, tuple(shapes))

    def panel(self, panel: Frame) -> Iterator[Shape]:
        area = self.at.panel_area(panel)
        part = next(box.part for box in self.structure.boxes if box.name in panel.boxes)
        x, y = area.left, area.top
        yield Rect(x, y, area.right - x, area.bottom - y, 10, f"panel {part}")
        yield Text(x + PADDING, y + 14, panel.title, "panel", f"{part} on panel")

    def box(self, box: Box) -> Group:
        """A box with its words, or a circle with its words to the left."""
        circle = self.at.is_circle(box)
        shapes = list(self.circle(box) if circle else self.rectangle(box))
        shapes += self.pills(box)
        return Group(box.name, says(box), tuple(shapes))

    def circle(self, box: Box) -> Iterator[Shape]:
        area = self.at.area(box)
        x, y, arm = area.left + CIRCLE, area.top + CIRCLE, CIRCLE / 2
        yield Circle(x, y, CIRCLE, "box stream")
        yield Path(((x - arm, y), (x + arm, y)), "plus")
        yield Path(((x, y - arm), (x, y + arm)), "plus")
        top = y - self.at.box_height(box) / 2
        yield from self.words(box, area.left - LABEL_GAP, top, anchor="end")

    def rectangle(self, box: Box) -> Iterator[Shape]:
        area = self.at.area(box)
        width = area.right - area.left
        yield Rect(area.left, area.top, width, area.bottom - area.top, CORNER, f"box {box.part}")
        face = self.at.faces[box.name]
        top = (area.top + area.bottom - face.height) / 2 + 0.8 * PADDING
        yield from self.words(box, area.left + width / 2, top)
        y = top + face.text_height + TAG_GAP
        for tag in face.tags:
            height = tag_height(tag) - TAG_GAP
            yield Rect(area.left + PADDING, y, width - 2 * PADDING, height, 4, f"tag {box.part}")
            for number, line in enumerate(tag):
                middle = y + (TAG_PADDING + STYLES["tag"].leading) / 2
                middle += number * STYLES["tag"].leading
                yield Text(area.left + width / 2, middle, line, "tag", "ink", "middle")
            y += height + TAG_GAP

    def words(self, box: Box, x: float, y: float, *, anchor: Anchor = "middle") -> Iterator[Text]:
        for style, text in self.at.faces[box.name].lines:
            leading = STYLES[style].leading
            role = f"{box.part} ink" if style == "title" else ROLES[style]
            yield Text(x, y + leading / 2, text, style, role, anchor)
            y += leading

    def pills(self, box: Box) -> Iterator[Shape]:
        """What a run is given, where a box reads it."""
        area, height = self.at.area(box), STYLES["pill"].leading + 8
        middle = (area.top + area.bottom) / 2
        for number, name in enumerate(box.inputs):
            width = self.at.pill_width(name)
            if self.at.pills_on_top(box):
                x = (area.left + area.right) / 2
                y = area.top - ARROW - height / 2
                route = (x, y + height / 2), (x, area.top)
            else:
                x = area.left - PILL_GAP - width / 2
                y = middle + (number - (len(box.inputs) - 1) / 2) * (height + 4)
                route = (x + width / 2, y), (area.left, y)
            yield Path(route, "branch", arrow=True)
            yield Rect(x - width / 2, y - height / 2, width, height, height / 2, "pill")
            yield Text(x, y, name, "pill", "ink", "middle")


def says(box: Box) -> str:
    """What is said of a box when a reader points at it."""
    title = f"{box.title}: {box.note}" if box.note else box.title
    also = f"also {', '.join(box.aliases[:3])}" if box.aliases else ""
    lines = [title, f"{box.name} [{shape_words(box.shape)}]", also, *box.equations]
    return "\n".join(line for line in lines if line)
