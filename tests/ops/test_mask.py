"""The mask shuts out the future, and what is before the window."""

import numpy as np
import pytest

from pellucid.ops.mask import CausalMask
from pellucid.ops.softmax import Softmax
from tests.ops.passes import backward, output

RNG = np.random.default_rng(0)
DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


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


@pytest.mark.parametrize("window", [1, 2, 3, 4, 9])
def test_a_query_sees_as_many_keys_as_the_window_its_own_the_last(window):
    scores = RNG.standard_normal((1, 2, 5, 5))
    masked = output(CausalMask(window), scores, np.arange(5)[None])
    for query in range(5):
        seen = slice(max(0, query + 1 - window), query + 1)
        assert np.array_equal(masked[..., query, seen], scores[..., query, seen])
        assert np.isfinite(masked[..., query, :]).sum() == 2 * (query + 1 - seen.start)
        # A few queries at the end of a long text see what they see in the whole of it.
        alone = output(CausalMask(window), scores[..., [query], :], np.array([[query]]))
        assert np.array_equal(alone[..., 0, :], masked[..., query, :])


def test_no_gradient_reaches_what_is_before_the_window():
    ones = np.ones((1, 1, 4, 4))
    (grad, _), () = backward(CausalMask(2), ones, [ones, np.arange(4)[None]])
    assert np.array_equal(grad[0, 0], np.eye(4) + np.eye(4, k=-1))
