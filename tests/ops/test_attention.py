"""Scores, mask and mix, one by one, at their extremes."""

import numpy as np
import pytest

from pellucid.ops.attention import CausalMask, Mix, Scores
from pellucid.ops.softmax import Softmax
from tests.ops.passes import backward, output

RNG = np.random.default_rng(0)
DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


# Causal mask


@DTYPES
def test_the_future_is_minus_infinity_and_the_past_untouched(dtype):
    scores = RNG.standard_normal((2, 3, 4, 4)).astype(dtype)
    masked = output(CausalMask(), scores)
    assert masked.dtype == dtype
    for query in range(4):
        assert np.array_equal(masked[..., query, : query + 1], scores[..., query, : query + 1])
        assert (masked[..., query, query + 1 :] == -np.inf).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nothing_gets_through_from_the_future(bad):
    scores = RNG.standard_normal((1, 1, 3, 3))
    spoilt = scores.copy()
    spoilt[0, 0][np.triu_indices(3, k=1)] = bad
    assert np.array_equal(output(CausalMask(), spoilt), output(CausalMask(), scores))
    assert np.array_equal(
        output(Softmax("key"), output(CausalMask(), spoilt)),
        output(Softmax("key"), output(CausalMask(), scores)),
    )


def test_with_fewer_queries_than_keys_the_last_query_is_the_last_key():
    masked = output(CausalMask(), np.zeros((1, 1, 2, 5)))
    assert (masked[0, 0] == 0).tolist() == [[True] * 4 + [False], [True] * 5]


def test_no_gradient_reaches_the_future():
    ones = np.ones((1, 1, 3, 3))
    (grad,), () = backward(CausalMask(), ones, [ones])
    assert np.array_equal(grad[0, 0], np.tri(3))


# Products


def test_scores_are_scaled_products():
    q, keys = RNG.standard_normal((2, 3, 4, 5)), RNG.standard_normal((2, 3, 4, 5))
    expected = np.einsum("bhqd,bhkd->bhqk", q, keys) / np.sqrt(5)
    np.testing.assert_allclose(output(Scores(5), q, keys), expected, atol=1e-14)


def test_mixing_adds_the_values_up_by_their_shares():
    pattern, values = RNG.random((2, 3, 4, 4)), RNG.standard_normal((2, 3, 4, 5))
    expected = np.einsum("bhqk,bhkd->bhqd", pattern, values)
    np.testing.assert_allclose(output(Mix(), pattern, values), expected, atol=1e-14)


@pytest.mark.parametrize(("n_head", "n_kv_head"), [(4, 2), (6, 2), (4, 1), (3, 3)])
def test_grouped_heads_read_the_head_they_share(n_head, n_kv_head):
    group = n_head // n_kv_head
    q = RNG.standard_normal((2, n_head, 4, 5))
    keys = RNG.standard_normal((2, n_kv_head, 4, 5))
    repeated = keys.repeat(group, axis=1)
    np.testing.assert_allclose(
        output(Scores(5), q, keys), output(Scores(5), q, repeated), rtol=0, atol=1e-14
    )
    pattern = RNG.random((2, n_head, 4, 4))
    np.testing.assert_allclose(
        output(Mix(), pattern, keys), output(Mix(), pattern, repeated), rtol=0, atol=1e-14
    )
