"""Softmax turns any scores into shares, extreme ones too."""

import numpy as np
import pytest

from pellucid.ops.softmax import Softmax
from tests.ops.passes import output

RNG = np.random.default_rng(0)
DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@DTYPES
@pytest.mark.parametrize("width", [1, 2, 5, 64, 65, 300])
def test_shares_are_positive_and_sum_to_1(width, dtype):
    x = (5 * RNG.standard_normal((2, 3, 4, width))).astype(dtype)
    shares = output(Softmax("key"), x)
    assert shares.dtype == dtype
    assert (shares > 0).all()
    np.testing.assert_allclose(shares.sum(axis=-1), 1, rtol=4 * np.finfo(dtype).eps * width)


@DTYPES
@pytest.mark.parametrize("width", [3, 100])
def test_scores_that_exp_alone_would_overflow(width, dtype):
    largest = np.finfo(dtype).max / 4
    x = np.zeros((1, 1, 4, width), dtype=dtype)
    x[0, 0, 0, :2] = largest
    x[0, 0, 1] = -largest
    x[0, 0, 2, 1] = 1e4
    shares = output(Softmax("key"), x)[0, 0]
    assert shares[0, :3].tolist() == [0.5, 0.5, 0]
    np.testing.assert_allclose(shares[1], 1 / width, rtol=1e-6)
    assert shares[2, :3].tolist() == [0, 1, 0]
    np.testing.assert_allclose(shares[3], 1 / width, rtol=1e-6)


@DTYPES
@pytest.mark.parametrize("width", [4, 100])
def test_what_is_shut_out_gets_nothing(width, dtype):
    x = np.full((1, 1, 2, width), -np.inf, dtype=dtype)
    x[..., 0, :2] = 3, 3
    x[..., 1, 2] = -1e30
    shares = output(Softmax("key"), x)[0, 0]
    assert shares[0, :4].tolist() == [0.5, 0.5, 0, 0]
    assert shares[1, :4].tolist() == [0, 0, 1, 0]


def test_adding_to_every_score_of_a_row_changes_nothing():
    x = RNG.standard_normal((2, 2, 3, 5))
    moved = x + 100 * RNG.standard_normal((2, 2, 3, 1))
    np.testing.assert_allclose(output(Softmax("key"), moved), output(Softmax("key"), x), atol=1e-12)


def test_maximum_and_sum_are_those_of_each_row():
    x = RNG.standard_normal((2, 3, 4, 5))
    shares, (largest, total) = Softmax("key").forward([x], ())
    assert largest.shape == total.shape == (2, 3, 4)
    assert np.array_equal(largest, x.max(axis=-1))
    np.testing.assert_allclose(total, np.exp(x - x.max(-1, keepdims=True)).sum(-1), rtol=1e-14)
    np.testing.assert_allclose(shares, np.exp(x - largest[..., None]) / total[..., None])


def test_a_row_that_is_no_number_spoils_no_other():
    x = RNG.standard_normal((1, 1, 3, 4))
    x[0, 0, 1, 2] = np.nan
    shares = output(Softmax("key"), x)[0, 0]
    assert np.isnan(shares[1]).all()
    np.testing.assert_allclose(shares[[0, 2]].sum(axis=-1), 1)
