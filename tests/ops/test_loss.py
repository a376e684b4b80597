"""Cross-entropy stays exact where probabilities round to 0 or 1."""

import numpy as np
import pytest

from pellucid.ops.loss import CrossEntropy, MeanLoss
from tests.ops.passes import backward

DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def surprise(logits, targets):
    logits, targets = np.asarray(logits)[None], np.asarray(targets)[None]
    return CrossEntropy().forward([logits, targets], ())[0][0]


def gradient(logits, targets):
    logits, targets = np.asarray(logits)[None], np.asarray(targets)[None]
    (grad, none), () = backward(CrossEntropy(), np.ones(targets.shape), [logits, targets])
    assert none is None
    return grad[0]


@DTYPES
@pytest.mark.parametrize("vocab", [1, 2, 24, 64, 65, 1000])
def test_knowing_nothing_costs_the_log_of_the_vocabulary(vocab, dtype):
    loss = surprise(np.zeros((1, vocab), dtype=dtype), [vocab - 1])
    assert loss.dtype == dtype
    assert loss[0] == pytest.approx(np.log(vocab), rel=1e-6 if dtype is np.float32 else 1e-14)


@DTYPES
@pytest.mark.parametrize("vocab", [3, 100])
def test_extreme_logits_give_exact_losses(vocab, dtype):
    logits = np.zeros((4, vocab), dtype=dtype)
    logits[0, 1] = 1e4
    logits[1, 1] = 1e4
    logits[2] = -1e3
    logits[3, 0] = -np.inf
    targets = [1, 0, 2, 2]
    expected = [0, 1e4, np.log(vocab), np.log(vocab - 1)]
    allowed = 32 * np.finfo(dtype).eps * (1 + np.array([1e4, 1e4, 1e3, 0]))
    assert (np.abs(surprise(logits, targets) - expected) <= allowed).all()
    assert np.isfinite(gradient(logits, targets)).all()


def test_the_probability_may_be_far_below_what_a_float_holds():
    loss = surprise([[0.0, 5000.0]], [0])
    assert loss[0] == 5000.0
    assert gradient([[0.0, 5000.0]], [0]).tolist() == [[-1.0, 1.0]]


def test_positions_without_a_target_cost_nothing_and_pull_at_nothing():
    logits = np.random.default_rng(0).standard_normal((3, 5))
    assert surprise(logits, [-1, 4, -1])[[0, 2]].tolist() == [0, 0]
    grad = gradient(logits, [-1, 4, -1])
    assert (grad[[0, 2]] == 0).all()
    assert (grad[1] != 0).all()


def test_each_row_of_the_gradient_sums_to_nothing():
    logits = np.random.default_rng(0).standard_normal((6, 7))
    np.testing.assert_allclose(gradient(logits, [0, 1, 2, 3, 4, 5]).sum(axis=-1), 0, atol=1e-15)


def test_the_mean_is_over_the_positions_with_a_target():
    loss = np.array([[1.0, 2.0, 50.0], [6.0, 50.0, 50.0]])
    targets = np.array([[3, 0, -1], [2, -1, -1]])
    mean, _ = MeanLoss().forward([loss, targets], ())
    assert mean.tolist() == [3.0]
    (grad, none), () = backward(MeanLoss(), np.ones(1), [loss, targets])
    assert none is None
    assert grad.tolist() == [[1 / 3, 1 / 3, 0], [1 / 3, 0, 0]]
