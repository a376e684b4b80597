"""Where boxes stand: the stream straight down, branches beside it, nothing in each other's way."""

from itertools import pairwise

import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.views.diagram import diagram
from tests.small_models import SMALL
from tests.views.diagram.drawn_graphs import CASES, drawn_graph

EACH = pytest.mark.parametrize(("name", "depth"), CASES)


@EACH
def test_no_two_boxes_stand_in_one_place(name, depth):
    _, found = drawn_graph(name, depth, unfold=True)
    assert len(set(found.grid.places.values())) == len(found.structure.boxes)


@EACH
def test_a_line_leads_down(name, depth):
    _, found = drawn_graph(name, depth, unfold=True)
    for line in found.structure.lines:
        assert found.grid.places[line.source].row < found.grid.places[line.target].row


@EACH
def test_the_stream_is_the_first_column_and_each_addition_to_it_stands_there(name, depth):
    graph, found = drawn_graph(name, depth)
    places = found.grid.places
    spine = sorted((place.row, box) for box, place in places.items() if place.column == 0)
    names = [box for _, box in spine]
    assert names[0] == "embed.tokens"
    assert names[-1] == "probs"
    added = {box.name for box in found.structure.boxes if box.adds}
    assert added <= set(names)
    assert added == {n.name for n in graph.nodes if n.op.kind == "add" and n.name in places}
    for above, below in pairwise(names):
        assert found.structure.by_name[below].main == above


def test_queries_keys_and_values_stand_side_by_side():
    places = diagram(build_graph(SMALL)).grid.places
    q, k, v = (places[f"blocks.0.attn.{name}"] for name in "qkv")
    assert q.row == k.row == v.row
    assert (q.column, k.column, v.column) == (1, 2, 3)
