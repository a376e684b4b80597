"""RMS norm brings vectors to a root mean square of 1, and leaves their mean alone."""

import numpy as np
import pytest

from pellucid.ops.rms_norm import RmsNorm

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("width", [1, 8, 64, 65, 768])
def test_normalized_vectors_have_a_root_mean_square_of_1(width):
    x = 3 + 5 * RNG.standard_normal((2, 4, width))
    out, (rrms, normalized) = RmsNorm("gamma", None, 0.0).forward([x], [np.full(width, 2.0)])
    np.testing.assert_allclose(rrms, 1 / np.sqrt((x**2).mean(axis=-1)), rtol=1e-13)
    np.testing.assert_allclose((normalized**2).mean(axis=-1), 1, rtol=1e-12)
    np.testing.assert_allclose(out, 2 * normalized, rtol=1e-14)
    np.testing.assert_allclose(normalized / x, rrms[..., None] * np.ones(width), rtol=1e-13)


def test_epsilon_is_added_to_the_mean_square():
    x = np.array([[[1.0, -1.0]]])
    out, _ = RmsNorm("gamma", None, 3.0).forward([x], [np.ones(2)])
    assert out.tolist() == [[[0.5, -0.5]]]


def test_a_vector_of_nothing_stays_nothing():
    out, (rrms, _) = RmsNorm("gamma", None, 1e-6).forward([np.zeros((1, 1, 4))], [np.ones(4)])
    assert not out.any()
    assert np.isfinite(rrms).all()
