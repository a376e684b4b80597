"""A curve as a picture: its numbers, and names at the ends of its lines."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.views.figures.curve import apart
from pellucid.views.figures.draw import draw_figure
from pellucid.views.figures.measure import figure_of
from pellucid.views.figures.theme import LIGHT
from pellucid.views.scene import Curve, Level, Series
from tests.views.figures.looks import assert_nothing_cut, written
from tests.views.figures.sheets import course, drawn, texts

CURVE = Curve(
    "Loss",
    (Series("training", np.array([3.0, 2.0, 1.5]), np.array([1, 5, 9])), Series("b", np.ones(2))),
    x_label="step",
    y_label="nats per token",
    levels=(Level("bigram", 2.5),),
    note="Means of 4 steps.",
)


def test_it_draws_the_numbers_of_the_curve_and_no_others():
    training, other, level = drawn(CURVE).lines
    assert course(training).tolist() == [[1, 3.0], [5, 2.0], [9, 1.5]]
    assert course(other).tolist() == [[0, 1], [1, 1]]
    assert {y for _, y in course(level)} == {2.5}


def test_each_line_is_named_at_its_end_in_its_colour_with_its_last_number():
    axes = drawn(CURVE)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("step", "nats per token")
    assert texts(axes) == ["bigram 2.500", "training 1.500", "b 1.000", "Means of 4 steps."]
    colours = {text.get_text(): text.get_color() for text in axes.texts}
    assert colours["training 1.500"] == axes.lines[0].get_color() == LIGHT.series[0]
    assert colours["b 1.000"] == axes.lines[1].get_color() == LIGHT.series[1]


def test_a_name_stands_at_the_height_of_its_line():
    axes = drawn(CURVE)
    middle = {line.text: (line.box[1] + line.box[3]) / 2 for line in written(figure_of(axes))}
    for name, y in (("bigram 2.500", 2.5), ("b 1.000", 1.0)):
        there = axes.transData.transform((0, y))[1]
        assert middle[name] == pytest.approx(there, abs=3.0)


def test_what_is_not_finite_leaves_a_gap_and_is_counted():
    axes = drawn(Curve("T", (Series("a", np.array([1.0, np.nan, 2.0])),), "x", "y"))
    assert np.isnan(course(axes.lines[0])[1, 1])
    assert "1 value is not finite: a gap." in texts(axes)


def test_nothing_finite_is_said_and_no_numbers_are_made_up():
    axes = drawn(Curve("T", (Series("a", np.full(3, np.inf)),), "x", "y"))
    assert "Nothing to draw: no value is finite." in texts(axes)
    assert len(axes.get_xticks()) == len(axes.get_yticks()) == 0


def test_large_numbers_are_written_out_and_very_large_ones_short():
    axes = drawn(Curve("T", (Series("a", np.array([0.0, 2e6])),), "x", "y"))
    ticks = [line.text for line in written(figure_of(axes))]
    assert "2,000,000" in ticks
    assert not any("e+" in tick for tick in ticks)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_names_are_moved_apart_in_order_and_no_more_than_needed(heights):
    moved = apart(heights, 0.1)
    for lower, upper in pairwise(sorted(range(len(heights)), key=lambda place: heights[place])):
        assert moved[upper] - moved[lower] >= 0.1 - 1e-9
    if all(b - a >= 0.1 for a, b in pairwise(sorted(heights))):
        np.testing.assert_allclose(moved, heights, atol=1e-12)
    np.testing.assert_allclose(sum(moved), sum(heights), atol=1e-9)


def test_long_names_of_axes_are_cut_to_their_lengths():
    figure = draw_figure(Curve("T", (Series("a", np.arange(3.0)),), "x" * 500, "y" * 500))
    assert_nothing_cut(figure)
    axes = figure.axes[0]
    assert axes.get_xlabel().count("…") == axes.get_ylabel().count("…") == 1


def test_by_powers_of_ten_what_shrinks_by_a_share_falls_in_a_straight_line():
    x = np.array([1.0, 10.0, 100.0, 1000.0])
    axes = drawn(Curve("T", (Series("a", 1 / x, x),), "x", "y", logarithmic=True))
    assert course(axes.lines[0]).tolist() == np.stack([x, 1 / x], axis=1).tolist()
    places = axes.transData.transform(course(axes.lines[0]))
    assert np.diff(places, axis=0) == pytest.approx(np.tile(np.diff(places, axis=0)[0], (3, 1)))
    (name,) = [line for line in written(figure_of(axes)) if line.text == "a 0.001"]
    assert (name.box[1] + name.box[3]) / 2 == pytest.approx(places[-1, 1], abs=3.0)
