"""The points block: checked when it is made, and shown with some space around it."""

import numpy as np
import pytest

from pellucid.views.points import Points, span_of

WAYS = [[[0, 0], [1, 2]], [[0, 0], [3, -2]]]


def points(ways=WAYS, names=("a", "b"), **options):
    return Points("T", names, np.array(ways), x_label="x", y_label="y", **options)


def test_points_are_at_the_ends_of_their_ways():
    np.testing.assert_array_equal(points().ends, [[1, 2], [3, -2]])


def test_all_of_the_ways_is_shown_with_some_space():
    left, right, bottom, top = points().sides
    assert left < 0 < 3 < right
    assert bottom < -2 < 2 < top
    assert points(span=(-9, 9, -8, 8)).sides == (-9, 9, -8, 8)


def test_what_spans_nothing_still_has_room():
    for ways in ([[[2, 2]]], np.zeros((0, 1, 2)), [[[np.nan, np.inf]]]):
        left, right, bottom, top = span_of(np.array(ways, float))
        assert left < right
        assert bottom < top
        assert np.isfinite([left, right, bottom, top]).all()


def test_what_is_not_finite_does_not_count():
    assert span_of(np.array([[[0, 0], [np.nan, 5]], [[1, 1], [np.inf, 1]]])) == span_of(
        np.array([[[0.0, 0.0], [1.0, 1.0]]])
    )


def test_it_cannot_be_changed():
    given = np.zeros((1, 1, 2))
    made = points(given, ("a",))
    given += 1
    assert (made.ways == 0).all()
    with pytest.raises(ValueError, match="read-only"):
        made.ways[...] = 1


@pytest.mark.parametrize(
    ("ways", "names"),
    [(WAYS, ("a",)), ([[1, 2]], ("a",)), ([[[1, 2, 3]]], ("a",)), (np.zeros((1, 0, 2)), ("a",))],
)
def test_what_does_not_fit_is_refused(ways, names):
    with pytest.raises(ValueError, match=r"names for|ways are"):
        points(ways, names)
