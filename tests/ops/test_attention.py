"""Scores, mask and mix, one by one, at their extremes."""

import numpy as np
import pytest

from pellucid.ops.attention import Mix, Scores
from pellucid.ops.mask import CausalMask
from pellucid.ops.softmax import Softmax
from tests.ops.passes import backward, output

RNG = np.random.default_rng(0)
DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


# Causal mask


@DTYPES
def test_the_future_is_minus_infinity_and_the_past_untouched(dtype):
    scores = RNG.standard_normal((2, 3, 4, 4)).astype(dtype)
    masked = output(CausalMask(), scores, np.arange(4)[None])
    assert masked.dtype == dtype
    for query in range(4):
        assert np.array_equal(masked[..., query, : query + 1], scores[..., query, : query + 1])
        assert (masked[..., query, query + 1 :] == -np.inf).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nothing_gets_through_from_the_future(bad):
    scores = RNG.standard_normal((1, 1, 3, 3))
    spoilt = scores.copy()
    spoilt[0, 0][np.triu_indices(3, k=1)] = bad
    positions = np.arange(3)[None]
    shut, clean = (output(CausalMask(), given, positions) for given in (spoilt, scores))
    assert np.array_equal(shut, clean)
    assert np.array_equal(output(Softmax("key"), shut), output(Softmax("key"), clean))


def test_with_fewer_queries_than_keys_each_query_sees_up_to_its_own_position():
    positions = np.array([[3, 4], [1, 2]])
    masked = output(CausalMask(), np.zeros((2, 1, 2, 5)), positions)
    seen = (masked[:, 0] == 0).sum(axis=-1)
    assert seen.tolist() == [[4, 5], [2, 3]]
    assert (masked[1, 0, 0] == 0).tolist() == [True, True, False, False, False]


def test_no_gradient_reaches_the_future():
    ones = np.ones((1, 1, 3, 3))
    (grad, no_grad), () = backward(CausalMask(), ones, [ones, np.arange(3)[None]])
    assert no_grad is None
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
