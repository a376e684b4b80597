"""The quick sums and maxima are NumPy's own, for short rows and long ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.ops.rows import PIECE, SHORT, averaging, column_sums, row_maxima, row_sums

WIDTHS = st.one_of(st.integers(1, 9), st.sampled_from([SHORT, SHORT + 1]))
SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 4), WIDTHS)
DTYPES = st.sampled_from([np.float32, np.float64])


@st.composite
def arrays(draw):
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return rng.standard_normal(draw(SHAPES)).astype(draw(DTYPES))


def close(found, expected):
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=0, atol=200 * np.finfo(found.dtype).eps)


@given(arrays())
def test_sums(x):
    close(row_sums(x), x.sum(axis=-1, keepdims=True))
    matrix = x.reshape(-1, x.shape[-1])
    close(column_sums(matrix), matrix.sum(axis=0))


@given(arrays())
def test_means(x):
    matrix = x.reshape(-1, x.shape[-1])
    means = matrix.dot(averaging(matrix.shape[1], matrix.dtype))
    close(means[:, :1], matrix.mean(axis=-1, keepdims=True))


@given(arrays())
def test_maxima(x):
    assert np.array_equal(row_maxima(x), x.max(axis=-1, keepdims=True))


@pytest.mark.parametrize("width", [4, SHORT + 1])
def test_what_is_no_number_is_the_maximum(width):
    x = np.zeros((2, width))
    x[1, 2], x[1, 3] = np.nan, np.inf
    np.testing.assert_array_equal(row_maxima(x), [[0], [np.nan]])


def test_an_array_that_is_not_contiguous():
    x = np.random.default_rng(0).standard_normal((3, 2, 4)).swapaxes(0, 1)
    close(row_sums(x), x.sum(axis=-1, keepdims=True))
    assert np.array_equal(row_maxima(x), x.max(axis=-1, keepdims=True))


@pytest.mark.parametrize("width", [2 * PIECE - 1, 2 * PIECE, 50257])
def test_a_long_row_is_summed_closely_wherever_its_numbers_lie(width):
    x = np.random.default_rng(0).exponential(size=(width, 8)).astype(np.float32)
    exact = x.astype(np.float64).sum(axis=0)
    for rows in (x.T, np.ascontiguousarray(x.T)):
        sums = row_sums(rows[None])
        assert sums.shape == (1, 8, 1)
        assert np.abs(sums.ravel() / exact - 1).max() < 32 * 2.0**-24
