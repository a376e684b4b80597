"""A graph on a terminal: every step of the diagram, on a page of any width."""

import pytest

from pellucid.views.graph_diagram import GraphDiagram
from pellucid.views.scene import Scene
from pellucid.views.terminal.draw import draw
from pellucid.views.terminal.page import Page
from tests.small_models import small_model

DEPTHS = ("overview", "block")


def lines(block, **page):
    return draw(block, Page(**page))


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("depth", DEPTHS)
def test_no_line_is_wider_than_the_page(width, depth):
    block = GraphDiagram("A title", small_model("grouped heads").graph, depth=depth)
    drawn = lines(block, width=width)
    assert drawn[0].plain == "A title"
    assert max(line.cell_len for line in drawn) <= width


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_tokens_and_every_part_stand_there(depth):
    block = GraphDiagram(None, small_model("one head").graph, depth=depth, tokens=("<a>", "[b]"))
    text = "\n".join(line.plain for line in lines(block))
    for words in ("<a>", "[b]", "position 2", "embed.out", "attn.out", "resid_post", "probs"):
        assert words in text
    assert ("attn.pattern" in text) == (depth == "block")


def test_a_page_of_plain_letters_gets_them_within_a_scene_too():
    scene = Scene("S", (GraphDiagram("→", small_model("one head").graph, tokens=("é",)),))
    drawn = lines(scene, encoding="ascii")
    assert all(line.plain.isascii() for line in drawn[2:])
