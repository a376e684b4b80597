"""Axes have few, round, evenly spaced numbers, each at its own place."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pellucid.views.terminal.axes import (
    Frame,
    power_texts,
    round_numbers,
    round_powers,
    span,
    span_of_powers,
    tick_texts,
)

ENDS = st.floats(-1e6, 1e6)


@given(ENDS, ENDS, st.integers(2, 10))
def test_ticks_are_round_even_and_inside(low, high, most):
    assume(high - low > 1e-3 * max(abs(low), abs(high), 1e-6))
    ticks = round_numbers(low, high, most)
    assert len(ticks) <= most + 1
    slack = (high - low) * 1e-6
    assert all(low - slack <= tick <= high + slack for tick in ticks)
    if len(ticks) > 1:
        steps = np.diff(ticks)
        np.testing.assert_allclose(steps, steps[0], rtol=1e-6)
        digits = steps[0] / 10 ** np.floor(np.log10(steps[0] * (1 + 1e-9)))
        assert np.min(np.abs(digits - np.array([1, 2, 5]))) < 1e-6


@given(ENDS, ENDS)
def test_no_two_ticks_read_the_same(low, high):
    assume(high - low > 1e-2 * max(abs(low), abs(high), 1e-6))
    texts = tick_texts(round_numbers(low, high, 5))
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0.6, 3.3, ["1", "2", "3"]),
        (0.7, 0.8, ["0.70", "0.72", "0.74", "0.76", "0.78", "0.80"]),
        (0, 12000, ["0", "5,000", "10,000"]),
        (-1, 1, ["-1.0", "-0.5", "0.0", "0.5", "1.0"]),
    ],
)
def test_ticks_read_like_this(low, high, texts):
    assert tick_texts(round_numbers(low, high, 5)) == texts


def test_a_frame_puts_its_ends_on_its_edges():
    frame = Frame(width=10, height=5, left=0, right=9, bottom=-1, top=1)
    assert [frame.row(y) for y in (1, -1)] == [0, 19]
    assert [frame.column(x) for x in (0, 9)] == [0, 19]
    assert [frame.row(y) for y in (5, -5)] == [0, 19]


def test_a_range_without_width_is_given_one():
    assert span(np.array([2.0, 2.0]), 0.1) == (1.5, 2.5)
    assert span(np.array([0.0, 10.0]), 0.1) == (-1.0, 11.0)


def test_powers_of_ten_are_evenly_spaced_and_keep_to_the_frame():
    frame = Frame(10, 5, left=1, right=1000, bottom=1e-4, top=1, logarithmic=True)
    assert [frame.column(x) for x in (1, 10, 100, 1000)] == [0, 6, 13, 19]
    assert [frame.row(y) for y in (1, 1e-2, 1e-4)] == [0, 10, 19]
    assert [frame.row(y) for y in (50, 1e-9)] == [0, 19]


@given(st.floats(-30, 6), st.floats(0.31, 30), st.integers(3, 10))
def test_powers_are_few_inside_and_seldom_none(low, decades, most):
    ends = 10.0**low, 10.0 ** (low + decades)
    ticks = round_powers(*ends, most)
    assert 1 <= len(ticks) <= max(most + 1, 6)
    assert all(ends[0] * 0.999 <= tick <= ends[1] * 1.001 for tick in ticks)
    assert len(set(power_texts(ticks))) == len(ticks)


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (4, 1024, ["10", "100", "1,000"]),
        (3, 40, ["5", "10", "20"]),
        (1e-21, 0.1, ["1e-20", "1e-15", "1e-10", "1e-5"]),
        (0.5, 3e7, ["1", "100", "10,000", "1e6"]),
    ],
)
def test_powers_read_like_this(low, high, texts):
    assert power_texts(round_powers(low, high, 5)) == texts


def test_a_range_of_powers_is_widened_by_a_share_of_them():
    assert span_of_powers(np.array([1.0, 1e4]), 0.25) == pytest.approx((0.1, 1e5))
