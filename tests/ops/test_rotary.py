"""Rotary positions turn pairs, so that scores go by how far apart two positions are."""

import numpy as np
import pytest

from pellucid.ops.frequencies import Frequencies
from pellucid.ops.rotary import Rotate
from tests.ops.passes import backward

RNG = np.random.default_rng(0)
FREQUENCIES = Frequencies((1.0, 0.3, 0.02))
LAYOUTS = pytest.mark.parametrize("layout", ["halves", "pairs"])
PLACES = np.arange(7)[None]


def pairs_of(x, layout):
    """The numbers that turn together as complex ones, `[…, pair]`."""
    a, b = (x[..., :3], x[..., 3:6]) if layout == "halves" else (x[..., 0:6:2], x[..., 1:6:2])
    return a + 1j * b


@LAYOUTS
def test_each_pair_is_a_complex_number_that_is_turned(layout):
    x = RNG.standard_normal((1, 2, 7, 6))
    turned, (cos, sin) = Rotate(FREQUENCIES, layout).forward([x, PLACES], ())
    angles = PLACES[0, :, None] * np.array(FREQUENCIES.each)
    expected = pairs_of(x, layout) * np.exp(1j * angles)
    np.testing.assert_allclose(pairs_of(turned, layout), expected, atol=1e-14)
    np.testing.assert_allclose(cos[0], np.cos(angles), atol=1e-15)
    np.testing.assert_allclose(sin[0], np.sin(angles), atol=1e-15)


@LAYOUTS
def test_scores_depend_on_the_distance_alone(layout):
    op = Rotate(FREQUENCIES, layout)
    q, k = RNG.standard_normal((2, 1, 1, 1, 6)).repeat(7, axis=3)
    near = [op.forward([each, PLACES], ())[0] for each in (q, k)]
    far = [op.forward([each, PLACES + 1000], ())[0] for each in (q, k)]
    scores = near[0] @ near[1].mT
    np.testing.assert_allclose(far[0] @ far[1].mT, scores, atol=1e-12)
    np.testing.assert_allclose(np.diag(scores[0, 0], k=-2), scores[0, 0, 2, 0], atol=1e-12)


@LAYOUTS
def test_lengths_stay_and_numbers_past_the_width_too(layout):
    x = RNG.standard_normal((1, 2, 7, 9))
    turned, _ = Rotate(FREQUENCIES, layout).forward([x, PLACES], ())
    assert np.array_equal(turned[..., 6:], x[..., 6:])
    assert np.array_equal(turned[:, :, 0], x[:, :, 0])
    np.testing.assert_allclose((turned**2).sum(-1), (x**2).sum(-1), rtol=1e-13)
    larger, _ = Rotate(FREQUENCIES, layout, 1.5).forward([x, PLACES], ())
    np.testing.assert_allclose(larger[..., :6], 1.5 * turned[..., :6], atol=1e-14)


@LAYOUTS
def test_a_gradient_is_turned_back(layout):
    op, x = Rotate(FREQUENCIES, layout), RNG.standard_normal((1, 2, 7, 6))
    turned, _ = op.forward([x, PLACES], ())
    (back, none), () = backward(op, turned, [x, PLACES])
    np.testing.assert_allclose(back, x, atol=1e-14)
    assert none is None


def test_far_positions_keep_their_angle_in_float32():
    x = np.array([1, 0], dtype=np.float32).reshape(1, 1, 1, 2)
    turned, _ = Rotate(Frequencies((1.0,))).forward([x, np.array([[100_003]])], ())
    assert turned.dtype == np.float32
    np.testing.assert_allclose(turned.ravel(), [np.cos(100_003), np.sin(100_003)], atol=1e-7)
