"""Figures as files: whole, of the format asked for, the same every time, with text that is text."""

from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from PIL import Image

from pellucid.errors import PellucidError
from pellucid.views.figures.draw import draw_figure
from pellucid.views.figures.picture import DOTS_PER_INCH
from pellucid.views.figures.save import write_figure
from pellucid.views.figures.theme import DARK
from pellucid.views.matrix import Axis, Matrix
from tests.views.figures.sheets import HOSTILE

MATRIX = Matrix(
    "<b>$T$</b> & co", np.eye(3), Axis("position", ("i", "<am>", "$x$")), Axis("d_model")
)
BEGINNINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.mark.parametrize("kind", BEGINNINGS)
def test_a_picture_is_written_whole_and_is_the_same_every_time(tmp_path, kind):
    first = write_figure(MATRIX, tmp_path / f"one.{kind}")
    second = write_figure(draw_figure(MATRIX), tmp_path / f"two.{kind.upper()}")
    assert first.read_bytes().startswith(BEGINNINGS[kind])
    assert first.read_bytes() == second.read_bytes()
    assert sorted(tmp_path.iterdir()) == [first, second]


def test_text_in_a_drawing_is_text_whatever_the_user_has_set(tmp_path):
    with matplotlib.rc_context({"svg.fonttype": "path"}):
        path = write_figure(MATRIX, tmp_path / "t.svg")
        assert matplotlib.rcParams["svg.fonttype"] == "path"
    root = ElementTree.parse(path).getroot()
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"<b>$T$</b> & co", "<am>", "$x$", "1", "position", "d_model"} <= set(texts)
    # The bar of colours has too many to be anything but an image; the cells are squares.
    assert len(list(root.iter("{http://www.w3.org/2000/svg}image"))) == 1


def test_any_text_makes_a_drawing_that_can_be_read(tmp_path):
    axis = Axis("position", HOSTILE)
    matrix = Matrix("T", np.eye(len(HOSTILE)), axis, Axis("key", HOSTILE))
    ElementTree.parse(write_figure(matrix, tmp_path / "t.svg"))


def test_theme_and_size_are_those_asked_for(tmp_path):
    path = write_figure(MATRIX, tmp_path / "t.png", theme="dark", size="slide")
    image = Image.open(path)
    assert image.size == (round(40 / 3 * DOTS_PER_INCH), round(7.5 * DOTS_PER_INCH))
    corner = np.asarray(image.convert("RGB"))[2, 2]
    assert "#" + corner.tobytes().hex() == DARK.paper


def test_where_it_cannot_be_written_is_said(tmp_path):
    with pytest.raises(PellucidError, match=r"loss\.png cannot be written: No such file"):
        write_figure(MATRIX, tmp_path / "nowhere" / "loss.png")
    with pytest.raises(PellucidError, match=r"t\.gif has no ending of a picture: give \.png"):
        write_figure(MATRIX, tmp_path / "t.gif")
