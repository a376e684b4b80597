"""The checkers see what they are there to see."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.views.figures.looks import (
    DPI,
    assert_nothing_cut,
    assert_nothing_overlaps,
    difference,
    pixels,
    written,
)


def figure(*texts, **look):
    """Words at places of an empty figure of 200 × 100 points."""
    made = Figure(figsize=(200 / 72, 100 / 72))
    for x, y, words in texts:
        made.text(x, y, words, **look)
    return made


def test_every_line_that_is_drawn_is_seen_where_it_is():
    made = figure((0.1, 0.5, "groot\ntree"), (0.5, 0.5, "up"), rotation=90)
    assert [line.text for line in written(made)] == ["groot", "tree", "up"]
    left, bottom, right, top = written(made)[0].box
    assert top - bottom > 2 * (right - left)


def test_words_over_each_other_are_found():
    assert_nothing_overlaps(figure((0.1, 0.5, "groot"), (0.5, 0.5, "tree")))
    with pytest.raises(AssertionError, match=r"1 pairs .*\('groot', 'tree'\)"):
        assert_nothing_overlaps(figure((0.1, 0.5, "groot"), (0.15, 0.52, "tree")))
    with pytest.raises(AssertionError, match="lie over each other"):
        assert_nothing_overlaps(figure((0.1, 0.2, "groot"), (0.1, 0.3, "tree"), rotation=90))


def test_words_over_the_edge_are_found():
    assert_nothing_cut(figure((0.1, 0.5, "groot")))
    for x, y in ((0.9, 0.5), (-0.02, 0.5), (0.1, -0.05), (0.1, 0.97)):
        with pytest.raises(AssertionError, match=r"cut off .*'groot'"):
            assert_nothing_cut(figure((x, y, "groot")))


def test_axes_over_the_edge_are_found():
    made = Figure(figsize=(2, 1))
    made.add_axes((0.5, 0.5, 0.6, 0.3)).set_title("T", loc="left")
    with pytest.raises(AssertionError, match="axes 'T'"):
        assert_nothing_cut(made)


def test_a_change_that_can_be_seen_is_a_difference_and_one_of_a_hair_is_none():
    before = pixels(figure((0.1, 0.5, "groot")))
    assert difference(before, before) == ""
    assert difference(before, pixels(figure((0.1, 0.5 + 0.2 / 100, "groot")))) == ""
    assert difference(before, pixels(figure((0.1, 0.5, "groot"), (0.5, 0.5, "tree"))))
    assert difference(before, pixels(figure((0.2, 0.5, "groot"))))
    assert "its size" in difference(before, before[:-3])
    assert difference(before, before[:-1]) == ""
    assert before.shape == (int(100 / 72 * DPI), int(200 / 72 * DPI), 3)
    assert before.dtype == np.uint8
