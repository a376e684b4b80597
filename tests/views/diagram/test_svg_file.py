"""SVG: well formed, its text real and safe, every box once with what it stands for."""

import re
from xml.etree import ElementTree

import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.errors import PellucidError
from pellucid.views.diagram import diagram, svg
from pellucid.views.diagram.palette import PARTS, paints
from pellucid.views.diagram.svg_file import to_svg
from pellucid.views.figures.colours import contrast
from pellucid.views.figures.theme import DARK, LIGHT
from tests.small_models import SMALL
from tests.views.diagram.drawn_graphs import CASES, drawn_graph

NAMESPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "<script>alert(1)</script>",
    "]]></svg>",
    '"&amp;',
    "\x00\x1b",
    "\ud800",
    "e\u0301\u0301",
)


def elements(document, tag):
    return ElementTree.fromstring(document).iter(NAMESPACE + tag)


def texts(document):
    return ["".join(each.itertext()) for each in elements(document, "text")]


@pytest.mark.parametrize(("name", "depth"), CASES)
def test_every_box_is_there_once_with_its_name_and_its_equations(name, depth):
    _, found = drawn_graph(name, depth)
    titles = ["".join(each.itertext()) for each in elements(found.svg(), "title")]
    for box in found.structure.boxes:
        (said,) = (title for title in titles if f"\n{box.name} [" in title)
        assert all(equation in said for equation in box.equations)
    labels = texts(found.svg())
    for label in {box.label for box in found.structure.boxes}:
        assert labels.count(label) == sum(box.label == label for box in found.structure.boxes)


@pytest.mark.parametrize(("name", "depth"), [case for case in CASES if case[0] == "dropout"])
def test_every_line_has_its_path(name, depth):
    _, found = drawn_graph(name, depth)
    arrows = [
        each for each in elements(found.svg(), "path") if each.attrib["class"].endswith("-head")
    ]
    given = sum(len(box.inputs) for box in found.structure.boxes)
    assert len(arrows) == len(found.structure.lines) + given


def test_nothing_is_fetched_and_nothing_runs():
    document = svg(build_graph(SMALL))
    without_namespace = document.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"http|url\(|@import|<script|\son\w+=|href", without_namespace)


def test_nothing_has_an_id_that_another_diagram_on_the_page_could_have():
    assert " id=" not in svg(build_graph(SMALL))


def test_hostile_tokens_stay_text():
    config = SMALL.replace(block_size=8)
    document = diagram(build_graph(config), tokens=HOSTILE, title="<b>&").svg()
    assert {each.tag for each in ElementTree.fromstring(document).iter()} == {
        NAMESPACE + tag for tag in ("svg", "style", "g", "title", "rect", "circle", "path", "text")
    }
    assert "]]></svg>" in texts(document)
    assert "<b>&" in texts(document)


def test_by_itself_it_follows_the_readers_screen():
    document = svg(build_graph(SMALL))
    light, _, dark = document.partition("@media (prefers-color-scheme: dark)")
    assert LIGHT.paper in light
    assert DARK.paper not in light
    assert DARK.paper in dark


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_theme_that_is_asked_for_is_the_only_one(theme):
    document = diagram(build_graph(SMALL)).svg(theme=theme.name)
    assert "prefers-color-scheme" not in document
    assert f"fill: {theme.paper}" in document
    assert document == to_svg(diagram(build_graph(SMALL)).picture, theme)


def test_a_theme_that_is_not_there_is_refused():
    with pytest.raises(PellucidError, match=r'no theme "drak"[.] Did you mean dark'):
        diagram(build_graph(SMALL)).svg(theme="drak")


def test_the_same_graph_gives_the_same_bytes():
    assert svg(build_graph(SMALL)) == svg(build_graph(SMALL.replace()))


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_words_can_be_read_on_what_they_stand_on(theme):
    painted = paints(theme)
    for part in PARTS:
        for ground in (f"box {part}", f"tag {part}", f"panel {part}"):
            assert contrast(painted["ink"].fill, painted[ground].fill) >= 7
        assert contrast(painted[f"{part} ink"].fill, painted[f"box {part}"].fill) >= 4.5
        assert contrast(painted["quiet"].fill, painted[f"box {part}"].fill) >= 4.5
    for part in ("attn", "mlp"):
        assert contrast(painted[f"{part} on panel"].fill, painted[f"panel {part}"].fill) >= 4.5
    assert contrast(painted["badge text"].fill, painted["badge"].fill) >= 4.5
    assert contrast(painted["quiet"].fill, painted["frame"].fill) >= 4.5


def test_it_shrinks_with_a_narrow_page():
    root = ElementTree.fromstring(diagram(build_graph(SMALL)).svg())
    assert root.get("style") == "max-width:100%;height:auto"
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
