"""A histogram counts every number once, and says how many have no place in it."""

from sys import float_info

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pellucid.views.scene import Distribution, Histogram

NUMBERS = arrays(np.float64, st.integers(0, 50), elements=st.floats())


@given(st.dictionaries(st.text(), NUMBERS, min_size=1, max_size=4), st.integers(1, 20))
def test_every_finite_number_is_in_one_bin(numbers, bins):
    histogram = Histogram.of("T", numbers, bins=bins)
    assert len(histogram.edges) == bins + 1
    assert np.isfinite(histogram.edges).all()
    for each, array in zip(histogram.distributions, numbers.values(), strict=True):
        assert each.counts.sum() == np.isfinite(array).sum()
        assert each.not_finite == len(array) - np.isfinite(array).sum()
        assert each.total == len(array)


def test_numbers_are_counted_where_they_are():
    histogram = Histogram.of("T", {"a": [0, 1, 1, 4], "b": [[2.5], [np.nan]]}, bins=4)
    assert histogram.edges.tolist() == [0, 1, 2, 3, 4]
    assert [each.counts.tolist() for each in histogram.distributions] == [
        [1, 2, 0, 1],
        [0, 0, 1, 0],
    ]


def test_numbers_that_are_all_one_stand_in_the_middle():
    histogram = Histogram.of("T", {"a": np.full(5, 3.0)}, bins=3)
    assert (histogram.edges[0], histogram.edges[-1]) == (2.5, 3.5)
    assert histogram.distributions[0].counts.tolist() == [0, 5, 0]


def test_numbers_that_are_nearly_one_have_bins_of_some_width():
    for number in (0.0, 5e-324, 1e-310, 2e14, -1e300, float_info.max):
        histogram = Histogram.of("T", {"a": [number, np.nextafter(number, 1e3)]})
        assert (np.diff(histogram.edges) > 0).all()


def test_numbers_as_far_apart_as_can_be_do_not_overflow():
    histogram = Histogram.of("T", {"a": [-1.7e308, 1.7e308]}, bins=2)
    assert histogram.distributions[0].counts.tolist() == [1, 1]


def test_what_is_not_finite_is_counted_over_all():
    histogram = Histogram.of("T", {"a": [1, np.inf], "b": [np.nan]})
    assert histogram.lost == "Not drawn: 2 of 3 numbers, not finite."
    assert Histogram.of("T", {"a": [1.0]}).lost == ""


def test_there_is_a_count_for_each_bin():
    with pytest.raises(ValueError, match="2 counts of a for 1 bins"):
        Histogram("T", np.array([0, 1]), (Distribution("a", np.array([1, 2])),))
