"""Layer norm brings vectors to mean 0 and deviation 1, then gain and shift."""

import numpy as np
import pytest

from pellucid.ops.layer_norm import LayerNorm

RNG = np.random.default_rng(0)


def run(x, *, gamma=None, beta=None, epsilon=1e-5):
    gamma = np.ones(x.shape[-1], dtype=x.dtype) if gamma is None else gamma
    op = LayerNorm("gamma", None if beta is None else "beta", epsilon)
    return op.forward([x], [gamma] if beta is None else [gamma, beta])


@pytest.mark.parametrize("width", [2, 8, 64, 65, 768])
def test_normalized_vectors_have_mean_0_and_deviation_1(width):
    _, (mean, rstd, normalized) = run(3 + 5 * RNG.standard_normal((2, 4, width)), epsilon=0)
    assert mean.shape == rstd.shape == (2, 4)
    np.testing.assert_allclose(normalized.mean(axis=-1), 0, atol=1e-13)
    np.testing.assert_allclose(normalized.std(axis=-1), 1, atol=1e-12)


def test_gain_and_shift_come_after():
    x, gamma, beta = RNG.standard_normal((1, 3, 6)), RNG.standard_normal(6), RNG.standard_normal(6)
    out, (_, _, normalized) = run(x, gamma=gamma, beta=beta)
    np.testing.assert_allclose(out, normalized * gamma + beta, rtol=0, atol=1e-14)


def test_epsilon_is_added_to_the_variance():
    x = np.array([[[1.0, -1.0]]])
    assert run(x, epsilon=3.0)[0].tolist() == [[[0.5, -0.5]]]


@pytest.mark.parametrize("width", [1, 4, 100])
def test_a_level_vector_becomes_nothing(width):
    out, (_, rstd, _) = run(np.full((1, 2, width), 7.0))
    np.testing.assert_allclose(out, 0, atol=1e-11)
    assert np.isfinite(rstd).all()


@pytest.mark.parametrize("width", [8, 768])
def test_a_large_mean_costs_no_precision(width):
    x = RNG.standard_normal((1, 3, width))
    moved = (x + 1000).astype(np.float32)
    expected, _ = run(moved.astype(np.float64))
    # The inputs themselves are rounded to 1000 · 2⁻²⁴; a mean of squares would lose 1000² · 2⁻²⁴.
    np.testing.assert_allclose(run(moved)[0], expected, rtol=0, atol=1e-3)
