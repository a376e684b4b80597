"""Scores and mix, one by one, at their extremes."""

import numpy as np
import pytest

from pellucid.ops.attention import Mix, Scores
from tests.ops.passes import output

RNG = np.random.default_rng(0)
DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


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


def test_another_scale_takes_the_place_of_the_usual_one():
    q, keys = RNG.standard_normal((1, 2, 3, 4)), RNG.standard_normal((1, 2, 3, 4))
    usual, other = output(Scores(4), q, keys), output(Scores(4, 0.125), q, keys)
    np.testing.assert_allclose(other, usual / 4, rtol=1e-14)
    assert Scores(4).equation(["q", "keys"], (), {}) == "q · keysᵀ / √4"
    assert Scores(4, 0.125).equation(["q", "keys"], (), {}) == "q · keysᵀ · 0.125"
    assert Scores(4, 1.0).equation(["q", "keys"], (), {}) == "q · keysᵀ"
