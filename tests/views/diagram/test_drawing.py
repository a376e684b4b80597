"""A diagram as a file: the format by its ending, real content, errors in words."""

import re

import matplotlib.image
import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.errors import PellucidError
from pellucid.views.diagram import Diagram, diagram, svg
from pellucid.views.diagram.drawing import format_of
from tests.small_models import SMALL, small_model


@pytest.fixture(scope="module")
def drawn():
    return diagram(build_graph(SMALL), depth="overview", title="small")


def test_a_model_is_drawn_as_its_graph_is():
    model = small_model()
    assert svg(model) == svg(model.graph) == diagram(model).svg()


def test_it_prints_itself(drawn):
    assert repr(drawn) == drawn.text()


def test_a_notebook_is_shown_the_svg(drawn):
    assert drawn._repr_svg_() == drawn.svg()


@pytest.mark.parametrize(
    ("file", "content"),
    [("a.svg", Diagram.svg), ("a.mmd", Diagram.mermaid), ("a.TXT", Diagram.text)],
)
def test_the_ending_says_the_format(drawn, tmp_path, file, content):
    path = drawn.save(tmp_path / file)
    assert path.read_text(encoding="utf-8") == content(drawn)


def test_a_png_has_the_pixels_of_the_picture(drawn, tmp_path):
    pixels = matplotlib.image.imread(drawn.save(tmp_path / "a.png"))
    assert pixels.shape[0] / pixels.shape[1] == pytest.approx(
        drawn.picture.height / drawn.picture.width, rel=0.01
    )
    assert pixels.std() > 0.05


def test_a_pdf_is_a_page_of_the_size_of_the_picture(drawn, tmp_path):
    written = drawn.save(tmp_path / "a.pdf").read_bytes()
    assert written.startswith(b"%PDF")
    (box,) = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", written)
    across, down = map(float, box)
    pixels = drawn.picture.width, drawn.picture.height
    assert (across, down) == pytest.approx([side * 72 / 96 for side in pixels], rel=1e-3)


def test_a_format_may_be_given_where_the_ending_says_none(drawn, tmp_path):
    path = drawn.save(tmp_path / "flow.md", format="mermaid")
    assert path.read_text(encoding="utf-8") == drawn.mermaid()


@pytest.mark.parametrize(
    ("file", "format", "said"),
    [
        ("a.gif", None, "has no ending of a diagram: give .svg, .png, .pdf"),
        ("a.svg", "png", "is the name of a file for svg, not for png"),
        ("a.svg", "swg", 'no format "swg"[.] Did you mean svg'),
        ("nowhere/a.svg", None, "cannot be written: No such file"),
    ],
)
def test_what_cannot_be_written_is_refused(drawn, tmp_path, file, format, said):
    with pytest.raises(PellucidError, match=said):
        drawn.save(tmp_path / file, format=format)


def test_without_a_file_or_a_format_it_is_text():
    assert format_of(None, None) == "txt"
