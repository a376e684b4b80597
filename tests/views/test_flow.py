"""A flow keeps its weights, and of a long one nothing is lost that flows to what is drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pellucid.views.scene import Axis, Flow

WEIGHTS = arrays(
    np.float64, array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.floats(0, 1)
)


def of(weights, *, targets=None, sources=None, note=None):
    weights = np.asarray(weights)
    return Flow("T", weights, Axis("query", targets), Axis("key", sources), note=note)


def test_weights_and_labels_agree():
    with pytest.raises(ValueError, match="3 labels for 2 indices of key"):
        of(np.ones((1, 2)), sources=("a", "b", "c"))
    with pytest.raises(ValueError, match="2 dims, these weights have 1"):
        of(np.ones(3))


def test_weights_cannot_be_written_to():
    weights = np.ones((2, 2))
    flow = of(weights)
    weights[0, 0] = 5
    assert flow.weights.tolist() == [[1, 1], [1, 1]]
    with pytest.raises(ValueError, match="read-only"):
        flow.weights[0, 0] = 2


@given(WEIGHTS, st.integers(1, 9))
def test_each_target_takes_as_much_of_a_shortened_flow(weights, most):
    short = of(weights).shortened(most)
    assert max(short.weights.shape) <= most
    np.testing.assert_allclose(short.weights.sum(axis=1), weights[-most:].sum(axis=1))
    late = short.weights.shape[1] - (weights.shape[1] > most)
    np.testing.assert_array_equal(
        short.weights[:, short.weights.shape[1] - late :],
        weights[-most:, weights.shape[1] - late :],
    )


def test_a_shortened_flow_keeps_the_last_labels_and_says_what_stands_for_the_first():
    names = tuple("abcde")
    short = of(np.eye(5), targets=names, sources=names, note="A note.").shortened(3)
    assert short.targets.labels == ("c", "d", "e")
    assert short.sources.labels == ("3 before", "d", "e")
    assert short.note == (
        "Drawn: the last 3 of 5 tokens. “3 before” stands for the first 3 tokens together. A note."
    )


def test_a_flow_without_labels_keeps_its_indices():
    short = of(np.eye(4)).shortened(2)
    assert short.targets.labels == ("2", "3")
    assert short.sources.labels == ("3 before", "3")


def test_a_flow_that_is_short_stays_as_it_is():
    flow = of(np.eye(3))
    assert flow.shortened(3) is flow


def test_the_widest_line_is_a_whole_or_more():
    assert of([[0.25, 0.5]]).limit == 1
    assert of([[0.25, -3.0, np.inf]]).limit == 3


def test_what_is_not_finite_is_counted():
    assert of([[0.5, np.nan], [np.inf, 1]]).lost == "Not drawn: 2 of 4 weights, not finite."
    assert of([[0.5, 1]]).lost == ""
