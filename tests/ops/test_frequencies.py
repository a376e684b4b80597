"""Frequencies may change when a text outgrows what its model was trained on."""

import numpy as np
import pytest

from pellucid.ops.frequencies import Frequencies

PLAIN = Frequencies((1.0, 0.1))
SWITCHED = Frequencies((1.0, 0.1), original=8, longer=(0.5, 0.01))
GROWING = Frequencies((1.0, 0.1), original=8, growth=2.0)


def at(frequencies, *lengths):
    return frequencies.at(np.array(lengths))[:, 0].tolist()


def test_most_are_the_same_whatever_the_length():
    assert PLAIN.at().tolist() == [1.0, 0.1]
    assert not PLAIN.depend_on_length
    assert PLAIN.same(1, 10**9)


def test_each_text_goes_by_its_own_length():
    assert at(SWITCHED, 8, 9) == [[1.0, 0.1], [0.5, 0.01]]


def test_growing_ones_slow_down_from_the_original_length_on():
    assert at(GROWING, 1, 8) == [[1.0, 0.1], [1.0, 0.1]]
    ((fast, slow),) = at(GROWING, 16)
    # At twice the length, 2 · 2 - 1 = 3 times slower at the slow end.
    assert (fast, slow) == (1.0, pytest.approx(0.1 / 3, rel=1e-15))


@pytest.mark.parametrize(
    ("before", "after", "switched", "growing"),
    [(1, 8, True, True), (8, 9, False, False), (9, 10, True, False), (10, 10, True, True)],
)
def test_whether_two_lengths_turn_alike(before, after, switched, growing):
    for frequencies, alike in ((SWITCHED, switched), (GROWING, growing)):
        assert frequencies.same(before, after) == alike
        assert (at(frequencies, before) == at(frequencies, after)) == alike
