"""A figure shows itself in a notebook, as the same vector graphics every time."""

from xml.etree import ElementTree

import pytest
from IPython.core.formatters import DisplayFormatter
from PIL import Image

import pellucid
from pellucid.views.figures.save import write_figure

TRACE = pellucid.load("baby-groot").trace("i am groot")


def shown(figure):
    """What a notebook is given of a figure, by kind."""
    return DisplayFormatter().format(figure)[0]


def pixels(path):
    """How many a file has across and down."""
    with Image.open(path) as image:
        return image.size


def test_a_notebook_is_given_a_drawing_whose_text_is_text():
    svg = shown(pellucid.figures.pattern(TRACE))["image/svg+xml"]
    texts = {"".join(element.itertext()) for element in ElementTree.fromstring(svg).iter()}
    share = TRACE["blocks.0.attn.pattern"].values[0, 2, 1]
    assert {*TRACE.tokens, f"{share:.3f}"} <= {text.strip() for text in texts}


def test_the_same_picture_is_the_same_file():
    first, second = (shown(pellucid.figures.scores(TRACE)) for _ in range(2))
    assert first["image/svg+xml"] == second["image/svg+xml"]


@pytest.mark.parametrize("size", ["page", "slide", "paper"])
def test_saved_by_itself_it_has_as_many_pixels_as_written(tmp_path, size):
    figure = pellucid.figures.pattern(TRACE, size=size)
    figure.savefig(tmp_path / "saved.png")
    written = write_figure(figure, tmp_path / "written.png")
    assert pixels(tmp_path / "saved.png") == pixels(written)


def test_saved_with_dots_per_inch_it_has_these(tmp_path):
    figure = pellucid.figures.pattern(TRACE)
    figure.savefig(tmp_path / "saved.png", dpi=50)
    wanted = tuple(int(inches * 50) for inches in figure.get_size_inches())
    assert pixels(tmp_path / "saved.png") == wanted
