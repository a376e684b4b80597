"""Numbers in cells: in the largest type that fits, as they are, and legible."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_hex

from pellucid.views.figures.cells import HEIGHT, SIZES, cell_width, fitting
from pellucid.views.figures.colours import contrast
from pellucid.views.figures.measure import figure_of
from pellucid.views.figures.text import width
from pellucid.views.figures.theme import DARK, LIGHT
from pellucid.views.matrix import Axis, Matrix
from tests.views.figures.looks import numbers_of, pixels
from tests.views.figures.sheets import drawn, styled

VALUES = np.random.default_rng(0).normal(size=(4, 5)) * 2


def matrix(values, kind="signed"):
    return Matrix("T", values, Axis("position"), Axis("d_model"), kind=kind)


def test_small_cells_have_smaller_type_then_fewer_decimals_then_none():
    with styled():
        best = cell_width(VALUES)
        large = fitting(VALUES, (3 * best, 60.0))
        natural = fitting(VALUES, (best, 20.0))
        smaller = fitting(VALUES, (0.85 * best, 20.0))
        shorter = fitting(VALUES, (cell_width(VALUES, narrow=True), 20.0))
        assert fitting(VALUES, (0.98 * cell_width(VALUES, narrow=True), 20.0)) is None
        assert fitting(VALUES, (best, 0.99 * HEIGHT * SIZES[-1] * 9.0)) is None
    assert large is not None
    assert natural is not None
    assert smaller is not None
    assert shorter is not None
    assert large.size > natural.size > smaller.size
    assert {len(text.partition(".")[2]) for row in natural.texts for text in row} == {3}
    assert {len(text.partition(".")[2]) for row in shorter.texts for text in row} == {2}


@given(st.floats(8.0, 120.0), st.floats(4.0, 60.0))
def test_no_number_is_wider_or_higher_than_its_cell(across, down):
    with styled():
        numbers = fitting(VALUES, (across, down))
    if numbers is not None:
        assert numbers.size * HEIGHT <= down + 1e-6
        for text in (text for row in numbers.texts for text in row):
            assert width(text, numbers.size) < across


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("kind", ["signed", "probability"])
def test_every_number_can_be_read_on_its_colour(theme, kind):
    values = np.linspace(0 if kind == "probability" else -1, 1, 20).reshape(4, 5)
    axes = drawn(matrix(values, kind), 300, 120, theme=theme)
    mesh = axes.collections[0]
    assert isinstance(mesh, QuadMesh)
    colours = [to_hex(colour) for colour in np.asarray(mesh.cmap(mesh.norm(values.ravel())))]
    for text, colour in zip(axes.texts[:20], colours, strict=True):
        assert contrast(str(text.get_color()), colour) >= 4.5


@pytest.mark.parametrize("shape", [(4, 5), (60, 70)])
def test_the_numbers_drawn_are_the_matrix_own_in_squares_and_as_an_image(shape):
    values = np.random.default_rng(1).normal(size=shape)
    np.testing.assert_array_equal(numbers_of(drawn(matrix(values), 400, 400)), values)


def test_a_number_by_itself_has_six_digits():
    alone = Matrix("Loss", np.array([[2.123456789]]), Axis("", ("",)), Axis("", ("",)))
    assert drawn(alone, 90, 20).texts[0].get_text() == "2.12346"


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("shape", [(4, 5), (60, 70)])
def test_the_largest_numbers_of_a_precision_have_their_colours(dtype, shape):
    values = np.full(shape, np.finfo(dtype).max, dtype)
    values[0] *= -1
    axes = drawn(matrix(values), 400, 400)
    cells = axes.images[0] if axes.images else axes.collections[0]
    ends = cells.to_rgba(np.asarray(cells.get_array()))[[0, -1], 0]
    assert [to_hex(colour) for colour in ends] == [LIGHT.negative, LIGHT.positive]
    pixels(figure_of(axes))


def test_a_matrix_may_ask_for_few_decimals():
    values = np.array([[0.84014, -0.00031], [0.0, 0.39638]])
    with styled():
        few = fitting(values, (100.0, 100.0), most=2)
        assert cell_width(values, most=2) < cell_width(values)
    assert few is not None
    assert few.texts == [["0.84", "0.00"], ["0", "0.40"]]
