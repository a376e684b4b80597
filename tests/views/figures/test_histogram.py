"""A histogram as a picture: steps as high as the counts."""

from typing import Any

import numpy as np
import pytest
from matplotlib.patches import StepPatch

from pellucid.views.catalogue.training import parameter_histogram
from pellucid.views.figures.draw import draw_figure
from pellucid.views.scene import Histogram
from tests.small_models import small_model
from tests.views.figures.looks import (
    assert_looks_like,
    assert_nothing_cut,
    assert_nothing_overlaps,
)


def one():
    numbers = np.random.default_rng(0).normal(size=900)
    return Histogram.of("One", {"a": [*numbers, np.nan]}, x_label="weight", note="A note.")


def several():
    (block,) = parameter_histogram(small_model().trace(ids=[1]))
    return block


def steps(figure):
    return [patch.get_data() for patch in figure.axes[0].patches if isinstance(patch, StepPatch)]


def test_one_distribution_has_an_axis_of_counts():
    histogram = one()
    figure = draw_figure(histogram)
    ((values, edges, baseline),) = steps(figure)
    np.testing.assert_array_equal(values, histogram.distributions[0].counts)
    np.testing.assert_array_equal(edges, histogram.edges)
    assert baseline == 0
    axes = figure.axes[0]
    assert axes.get_xlabel() == "weight"
    assert axes.get_ylabel() == "how many of 901"
    assert axes.get_ylim()[1] > values.max()


def test_several_stand_above_one_another_each_to_its_own_scale():
    histogram = several()
    figure = draw_figure(histogram)
    drawn = steps(figure)
    names = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert names == [each.name for each in histogram.distributions]
    for (values, _, base), each in zip(drawn, histogram.distributions, strict=True):
        heights = values - base
        np.testing.assert_allclose(heights / heights.max(), each.counts / each.counts.max())
        assert 0 < heights.max() < 1
    assert [base for *_, base in drawn] == sorted((base for *_, base in drawn), reverse=True)


def test_how_many_there_are_is_said():
    histogram = several()
    said = [text.get_text() for text in draw_figure(histogram).axes[0].texts]
    for each in histogram.distributions:
        assert f"max {each.counts.max():,} of {each.total:,}" in said


def test_what_is_not_finite_is_counted():
    said = [text.get_text() for text in draw_figure(one()).axes[0].texts]
    assert "Not drawn: 1 of 901 numbers, not finite. A note." in said


def test_a_bin_of_one_among_millions_is_marked_on_the_axis():
    histogram = Histogram.of("T", {"a": [*np.zeros(10**6), 1.0]}, bins=10)
    marks: Any = draw_figure(histogram).axes[0].collections[0]
    ends = sorted(float(segment[:, 0].max()) for segment in marks.get_segments())
    assert ends == pytest.approx([0.1, 1.0])


@pytest.mark.parametrize(
    ("size", "theme"), [("page", "dark"), ("slide", "light"), ("paper", "light")]
)
@pytest.mark.parametrize(
    "histogram",
    [
        one(),
        several(),
        Histogram.of("T", {"$x$": [], "w" * 5000: [1e-30, 2e-30], "n": [np.nan]}),
        Histogram.of("T", {str(n): [-1e9 * n, 1e9 * n] for n in range(20)}),
    ],
)
def test_words_neither_overlap_nor_are_cut(histogram, size, theme):
    figure = draw_figure(histogram, theme=theme, size=size)
    assert_nothing_overlaps(figure)
    assert_nothing_cut(figure)


def test_their_looks():
    assert_looks_like(draw_figure([one(), several()], theme="dark"), "block_histogram")
