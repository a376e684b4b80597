"""Points as a picture: dots where they are, lines along their ways, and names that hide nothing."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection

from pellucid.views.figures.draw import draw_figure
from pellucid.views.points import Points
from tests.views.figures.looks import (
    assert_looks_like,
    assert_nothing_cut,
    assert_nothing_overlaps,
    written,
)

HOSTILE = ("$x$", "<b>", "a\nb", "日本語", "é́", "\u202egroot", "🙂", "w" * 5000, "")


def points(count=20, places=5, names=None, **options):
    rng = np.random.default_rng(0)
    ways = rng.normal(size=(count, places, 2)).cumsum(axis=1)
    names = names or tuple(f"name {place}" for place in range(count))
    return Points("Points", names, ways, x_label="across", y_label="up", **options)


def test_dots_are_at_the_ends_and_lines_along_the_ways():
    block = points()
    (axes,) = draw_figure(block).axes
    (dots,) = axes.lines
    np.testing.assert_array_equal(dots.get_xydata(), block.ends)
    (lines,) = (part for part in axes.collections if isinstance(part, LineCollection))
    for line, way in zip(lines.get_segments(), block.ways, strict=True):
        np.testing.assert_array_equal(line, way)


def test_what_is_shown_is_what_was_asked_for():
    (axes,) = draw_figure(points(span=(-20, 30, -10, 40))).axes
    assert axes.get_xlim() == (-20, 30)
    assert axes.get_ylim() == (-10, 40)


def test_names_that_have_no_room_are_left_out_and_counted():
    crowd = Points("T", tuple("abcdefghijklmnop"), np.zeros((16, 1, 2)), x_label="x", y_label="y")
    figure = draw_figure(crowd)
    said = [line.text for line in written(figure)]
    there = sum(name in said for name in crowd.names)
    assert 0 < there < 16
    assert f"{16 - there} of 16 names have no room." in said
    assert not any("no room" in line.text for line in written(draw_figure(points(3))))


@pytest.mark.parametrize("size", ["page", "paper", "slide"])
@pytest.mark.parametrize(
    "block",
    [
        points(60),
        points(len(HOSTILE), 2, HOSTILE),
        points(1, 1),
        Points("T", ("a", "b"), np.array([[[np.nan, 1.0]], [[1e9, 1e-9]]]), "x" * 500, "y" * 500),
    ],
)
def test_no_word_lies_over_another_or_is_cut(block, size):
    figure = draw_figure(block, size=size)
    assert_nothing_overlaps(figure)
    assert_nothing_cut(figure)


def test_their_looks():
    assert_looks_like(draw_figure(points(), theme="dark"), "block_points")
