"""The sides of a matrix: every label, or every k-th, that can be read."""

from itertools import pairwise

import numpy as np
import pytest

from pellucid.views.matrix import Axis, Matrix
from tests.views.figures.sheets import HOSTILE, drawn


def sides(rows, columns, width, height):
    sizes = [len(axis.labels) if axis.labels else 200 for axis in (rows, columns)]
    axes = drawn(Matrix("T", np.ones(sizes), rows, columns), width, height)
    return axes, *(
        dict(zip(ticks, (label.get_text() for label in labels), strict=True))
        for ticks, labels in (
            (axes.get_yticks(), axes.get_yticklabels()),
            (axes.get_xticks(), axes.get_xticklabels()),
        )
    )


def tokens(size):
    return tuple(f"tok{place}" for place in range(size))


def test_tokens_label_rows_and_columns_and_dims_their_sides():
    axes, rows, columns = sides(
        Axis("query", tokens(4)), Axis("key", ("i", "am", " groot")), 300, 80
    )
    assert rows == dict(enumerate(tokens(4)))
    assert columns == {0: "i", 1: "am", 2: "␣groot"}
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("query", "key")
    assert axes.xaxis.get_ticks_position() == "top"
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {0}


def test_labels_that_are_too_wide_stand_upright():
    axes, _, columns = sides(Axis("query", tokens(4)), Axis("key", tokens(20)), 260, 80)
    assert len(columns) == 20
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {90}


def test_labels_that_are_too_many_are_thinned_evenly():
    _, rows, columns = sides(Axis("query", tokens(64)), Axis("key", tokens(64)), 200, 200)
    for side in (rows, columns):
        assert set(np.diff(list(side))) == {5}
        assert all(text == f"tok{place}" for place, text in side.items())


def test_indices_are_thinned_and_lie_down():
    axes, _, columns = sides(Axis("query", tokens(4)), Axis("d_model"), 400, 80)
    assert set(np.diff(list(columns))) == {10}
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {0}


@pytest.mark.parametrize("size", [4, 40])
def test_labels_never_lie_over_each_other(size):
    axes, *_ = sides(Axis("query", tokens(size)), Axis("key", tokens(size)), 250, 150)
    for labels in (axes.get_xticklabels(), axes.get_yticklabels()):
        boxes = [label.get_window_extent() for label in labels]
        assert not any(a.overlaps(b) for a, b in pairwise(boxes))


def test_strange_labels_are_shown_in_a_measure_of_room():
    axes, rows, _ = sides(Axis("position", HOSTILE), Axis("key", HOSTILE), 300, 400)
    assert len(rows) == len(HOSTILE)
    widest = max(label.get_window_extent().width for label in axes.get_yticklabels())
    assert widest < 110 * axes.figure.dpi / 72
