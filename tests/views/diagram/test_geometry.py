"""Nothing overlaps: boxes, words, lines, frames; and lines end at the boxes that they join."""

from itertools import combinations, pairwise

import pytest

from pellucid.views.diagram.geometry import Area, Geometry
from pellucid.views.diagram.lettering import STYLES
from pellucid.views.diagram.picture import Group, Rect, Text
from tests.views.diagram.drawn_graphs import CASES, drawn_graph

EACH = pytest.mark.parametrize(("name", "depth"), CASES)


def overlap(a, b):
    return a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom


def pieces(points):
    """The straight pieces of a line, as areas without width."""
    for (x0, y0), (x1, y1) in pairwise(points):
        assert x0 == x1 or y0 == y1
        yield Area(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


@EACH
def test_boxes_with_all_that_is_written_on_and_beside_them_do_not_overlap(name, depth):
    _, found = drawn_graph(name, depth)
    at = Geometry(found.grid)
    areas = [at.whole_area(box) for box in found.structure.boxes]
    for one, other in combinations(areas, 2):
        assert not overlap(one, other)


@EACH
def test_a_line_goes_from_box_to_box_and_through_none(name, depth):
    _, found = drawn_graph(name, depth)
    at = Geometry(found.grid)
    boxes = found.structure.by_name
    for line in found.structure.lines:
        route = at.route(line)
        source, target = at.area(boxes[line.source]), at.area(boxes[line.target])
        assert route[0][0] == pytest.approx((source.left + source.right) / 2)
        assert route[0][1] >= source.bottom
        x, y = route[-1]
        assert y == target.top or (x == target.right and target.top < y < target.bottom)
        for box in found.structure.boxes:
            around = at.area(box)
            if box.name not in (line.source, line.target):
                around = at.whole_area(box)
            assert not any(overlap(piece, around) for piece in pieces(route))


@EACH
def test_lines_of_different_boxes_do_not_run_along_each_other_or_cross(name, depth):
    _, found = drawn_graph(name, depth)
    at = Geometry(found.grid)
    routes = [(line.source, list(pieces(at.route(line)))) for line in found.structure.lines]
    for (one, first), (other, second) in combinations(routes, 2):
        if one != other:
            touching = [
                (a, b)
                for a in first
                for b in second
                if a.left < b.right + 1
                and b.left < a.right + 1
                and a.top < b.bottom + 1
                and b.top < a.bottom + 1
            ]
            assert not touching


@EACH
def test_a_frame_is_around_its_boxes_and_no_others(name, depth):
    _, found = drawn_graph(name, depth)
    at = Geometry(found.grid)
    around = [(frame, at.frame_area(frame)) for frame in found.structure.frames]
    around += [(panel, at.panel_area(panel)) for panel in found.structure.panels]
    for frame, area in around:
        for box in found.structure.boxes:
            own = at.whole_area(box)
            if box.name in frame.boxes:
                assert area.left < own.left
                assert own.right < area.right
                assert area.top < own.top
                assert own.bottom < area.bottom
            else:
                assert not overlap(area, own)


@EACH
def test_words_are_within_their_box(name, depth):
    _, found = drawn_graph(name, depth)
    for group in found.picture.shapes:
        if not isinstance(group, Group) or not isinstance(group.shapes[0], Rect):
            continue
        rects = [shape for shape in group.shapes if isinstance(shape, Rect)]
        for text in (shape for shape in group.shapes if isinstance(shape, Text)):
            half = STYLES[text.style].width(text.text) / 2
            middle = text.x + (half if text.anchor == "start" else 0)
            assert any(
                rect.x <= middle - half
                and middle + half <= rect.x + rect.width
                and rect.y <= text.y - STYLES[text.style].size / 2
                and text.y + STYLES[text.style].size / 2 <= rect.y + rect.height
                for rect in rects
            ), text


@EACH
def test_everything_is_within_the_picture(name, depth):
    _, found = drawn_graph(name, depth)
    picture = found.picture
    shapes = [s for g in picture.shapes for s in (g.shapes if isinstance(g, Group) else (g,))]
    for shape in shapes:
        if isinstance(shape, Rect):
            assert shape.x >= 0
            assert shape.y >= 0
            assert shape.x + shape.width <= picture.width + 1e-6
            assert shape.y + shape.height <= picture.height + 1e-6
        if isinstance(shape, Text):
            width = STYLES[shape.style].width(shape.text)
            left = shape.x - {"start": 0, "middle": width / 2, "end": width}[shape.anchor]
            assert left >= 0
            assert left + width <= picture.width
            assert 0 <= shape.y <= picture.height
