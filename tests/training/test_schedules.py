"""A learning rate rises to its peak, falls as its shape says, and is a function of the step."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.training.schedules import SHAPES, learning_rate

STEPS, PEAK = 100, 0.5


def rates(shape, warm_up_steps=0):
    return [
        learning_rate(step, steps=STEPS, peak=PEAK, shape=shape, warm_up_steps=warm_up_steps)
        for step in range(STEPS)
    ]


def test_a_constant_rate_stays():
    assert set(rates("constant")) == {PEAK}


def test_a_linear_rate_falls_by_the_same_amount_at_each_step():
    found = rates("linear")
    falls = [before - after for before, after in pairwise(found)]
    assert found[0] == PEAK
    assert falls == pytest.approx([PEAK / STEPS] * (STEPS - 1))


def test_a_cosine_rate_is_half_way_down_half_way_through_and_alike_from_both_ends():
    found = rates("cosine")
    assert found[0] == PEAK
    assert found[STEPS // 2] == pytest.approx(PEAK / 2)
    for step in range(1, STEPS):
        assert found[step] + found[STEPS - step] == pytest.approx(PEAK)
    assert found[0] - found[1] < found[STEPS // 2] - found[STEPS // 2 + 1]


@pytest.mark.parametrize("shape", SHAPES)
def test_warming_up_rises_in_equal_parts_to_the_peak(shape):
    found = rates(shape, warm_up_steps=4)
    assert found[:5] == pytest.approx([PEAK * part / 5 for part in (1, 2, 3, 4, 5)])
    assert max(found) == PEAK


@given(st.sampled_from(list(SHAPES)), st.integers(1, 500), st.data())
def test_no_step_is_for_nothing_and_none_exceeds_the_peak(shape, steps, data):
    step = data.draw(st.integers(0, steps - 1))
    warm_up = data.draw(st.integers(0, 600))
    rate = learning_rate(step, steps=steps, peak=PEAK, shape=shape, warm_up_steps=warm_up)
    assert 0 < rate <= PEAK


@pytest.mark.parametrize("shape", SHAPES)
def test_after_warming_up_a_rate_never_rises(shape):
    after = rates(shape, warm_up_steps=10)[10:]
    assert after == sorted(after, reverse=True)
