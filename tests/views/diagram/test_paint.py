"""The shapes of a diagram: a thick stream from top to bottom, dots where lines leave, a badge."""

import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.views.diagram import diagram
from pellucid.views.diagram.picture import Circle, Group, Path
from tests.small_models import SMALL
from tests.views.diagram.drawn_graphs import CASES, drawn_graph

EACH = pytest.mark.parametrize(("name", "depth"), CASES)


@EACH
def test_the_stream_is_one_straight_thick_line_down_to_the_logits(name, depth):
    _, found = drawn_graph(name, depth)
    places = found.grid.places
    thick = [shape for shape in found.picture.shapes if isinstance(shape, Path)]
    pieces = sorted(p.points[0][1] for p in thick if p.role == "stream")
    assert len({x for path in thick if path.role == "stream" for x, _ in path.points}) == 1
    spine = sorted((place.row, box) for box, place in places.items() if place.column == 0)
    # From the first box to the head; what lies below has no longer a vector of the stream.
    boxes = found.structure.by_name
    assert len(pieces) == sum(boxes[box].shape[-1].dim == "d_model" for _, box in spine)


@EACH
def test_a_dot_stands_where_lines_leave_one_that_goes_on(name, depth):
    _, found = drawn_graph(name, depth)
    places = found.grid.places
    forks = set()
    for line in found.structure.lines:
        goes_on = any(found.grid.straight(line.source, box.name) for box in found.structure.boxes)
        if places[line.source].column < places[line.target].column and goes_on:
            forks.add(line.source)
    dots = [s for s in found.picture.shapes if isinstance(s, Circle) and s.role.endswith("dot")]
    starts = {s.points[0] for s in found.picture.shapes if isinstance(s, Path)}
    assert len(dots) == len(forks)
    assert {(dot.x, dot.y) for dot in dots} <= starts


@pytest.mark.parametrize("layers", [1, 2, 48])
def test_blocks_drawn_as_one_have_their_number_on_them(layers):
    found = diagram(build_graph(SMALL.replace(n_layer=layers)))
    (frame,) = (
        shape
        for shape in found.picture.shapes
        if isinstance(shape, Group) and shape.name.startswith("blocks.0") and "\n" not in shape.says
    )
    badges = [shape for shape in frame.shapes if shape.role == "badge text"]
    assert [badge.text for badge in badges if hasattr(badge, "text")] == (
        [f"× {layers}"] if layers > 1 else []
    )
