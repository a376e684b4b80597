"""The error function agrees with the standard library's."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.ops.erf import erf

ULPS = 2


def assert_agrees(x):
    expected = np.array([math.erf(each) for each in x])
    off = np.abs(erf(x) - expected) / np.spacing(np.abs(expected))
    assert off.max() <= ULPS, f"{off.max()} ulps at {x[off.argmax()]}"


def test_over_the_whole_curve():
    assert_agrees(np.linspace(-7, 7, 20_001))


def test_near_nothing_and_far_away():
    sizes = np.concatenate([np.logspace(-320, 308, 2_000), [5e-324]])
    assert_agrees(np.concatenate([sizes, -sizes]))


@pytest.mark.parametrize("edge", [0.84375, 4.0, 6.0])
def test_where_one_approximation_hands_over_to_the_next(edge):
    beside = edge + np.spacing(edge) * np.arange(-50, 51)
    assert_agrees(np.concatenate([beside, -beside]))


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=50))
def test_any_numbers(numbers):
    assert_agrees(np.array(numbers))


def test_the_ends_and_what_is_no_number():
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0])
    np.testing.assert_array_equal(erf(x), [1, -1, np.nan, 0, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shape_and_dtype_stay(dtype):
    x = np.linspace(-3, 3, 24, dtype=dtype).reshape(2, 3, 4)
    given_x = x.copy()
    found = erf(x)
    assert (found.shape, found.dtype) == (x.shape, dtype)
    assert np.array_equal(x, given_x)
    precise = np.vectorize(math.erf)(x.astype(np.float64))
    np.testing.assert_allclose(found, precise, rtol=ULPS * np.finfo(dtype).eps)


def test_no_numbers_are_no_trouble():
    assert erf(np.zeros((0, 3))).shape == (0, 3)
