"""A graph as a figure: its boxes in their places, as large as there is room."""

import pytest

from pellucid.views.diagram import diagram
from pellucid.views.figures import draw_figure
from pellucid.views.graph_diagram import GraphDiagram
from tests.small_models import small_model
from tests.views.figures.looks import assert_nothing_cut, assert_nothing_overlaps, written


@pytest.mark.parametrize("size", ["page", "slide"])
@pytest.mark.parametrize("depth", ["overview", "block"])
def test_the_figure_says_what_the_diagram_says(size, depth):
    graph = small_model("grouped heads").graph
    figure = draw_figure(GraphDiagram("A $title$", graph, depth=depth), size=size)
    drawn = {line.text for line in written(figure)}
    assert "A $title$" in drawn
    for box in diagram(graph, depth=depth).structure.boxes:
        assert box.label in drawn
    assert_nothing_overlaps(figure)
    assert_nothing_cut(figure)


def test_nothing_is_stretched():
    graph = small_model("one head").graph
    picture = diagram(graph, depth="overview").picture
    for size in ("page", "slide", "paper"):
        (axes,) = draw_figure(GraphDiagram(None, graph), size=size).axes
        assert axes.get_aspect() == 1
        assert axes.get_xlim() == (0, picture.width)
        assert axes.get_ylim() == (picture.height, 0)


def test_tokens_that_no_font_has_are_spelt_out():
    block = GraphDiagram("\x07", small_model("one head").graph, tokens=("\ue123", "a\nb"))
    drawn = " ".join(line.text for line in written(draw_figure(block)))
    assert "U+0007" in drawn
    assert "U+E123" in drawn
    assert "a↵b" in drawn
