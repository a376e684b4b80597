"""What is drawn of a matrix that is too large, and that it says so."""

import numpy as np
import pytest

from pellucid.views.figures.reduction import edges, labels_of, masked, thinned, whole
from pellucid.views.matrix import Axis, Matrix


def counted(rows, columns, kind="signed", **sides):
    values = np.arange(rows * columns, dtype=float).reshape(rows, columns)
    return Matrix("T", values, Axis("position"), Axis("d_model"), kind=kind, **sides)


def pattern(queries, keys):
    weights = np.tril(np.random.default_rng(0).random((keys, keys)) + 0.1)[-queries:]
    weights /= weights.sum(axis=1, keepdims=True)
    return Matrix("A", weights, Axis("query"), Axis("key"), kind="probability")


def test_edges_are_the_matrix_own_numbers_around_a_gap():
    matrix = counted(100, 3)
    shown = edges(matrix, 9, 3)
    assert len(shown.rows) == 9
    assert shown.rows.count(None) == 1
    for place, index in enumerate(shown.rows):
        if index is None:
            assert shown.gaps[place].all()
        else:
            np.testing.assert_array_equal(shown.values[place], matrix.values[index])
            assert not shown.gaps[place].any()
    assert shown.rows[0] == 0
    assert shown.rows[-1] == 99
    assert shown.note == "Shown: 8 of 100 along position (0–5, 98–99)."


def test_a_gap_on_both_sides_is_said_of_both():
    shown = edges(counted(50, 60), 6, 7)
    assert shown.values.shape == (6, 7)
    assert shown.note is not None
    assert "of 50 along position" in shown.note
    assert "of 60 along d_model" in shown.note


def test_what_fits_is_shown_whole_and_nothing_is_said():
    matrix = counted(4, 5)
    for shown in (whole(matrix), edges(matrix, 4, 5), thinned(matrix, 4, 5)):
        np.testing.assert_array_equal(shown.values, matrix.values)
        assert (shown.rows, shown.columns, shown.note) == ((0, 1, 2, 3), (0, 1, 2, 3, 4), None)


def test_every_kth_row_and_column_is_the_matrix_own():
    matrix = counted(100, 30)
    shown = thinned(matrix, 25, 10)
    np.testing.assert_array_equal(shown.values, matrix.values[::4, ::3])
    assert shown.rows == tuple(range(0, 100, 4))
    assert shown.columns == tuple(range(0, 30, 3))
    said = "Shown: every 4th along position (of 100) and every 3rd along d_model (of 30)."
    assert shown.note == said
    assert thinned(matrix, 200, 15).note == "Shown: every 2nd along d_model (of 30)."


def test_nan_that_is_not_among_the_rows_shown_is_counted():
    values = np.zeros((100, 1))
    values[[0, 1, 2]] = np.nan
    shown = thinned(Matrix("T", values, Axis("position"), Axis("")), 50, 1)
    assert shown.note is not None
    assert shown.note.endswith("; 1 NaN are not among them.")


def test_of_probabilities_the_largest_of_each_block_is_shown():
    matrix = pattern(10, 10)
    shown = thinned(matrix, 4, 5)
    assert shown.values.shape == (4, 5)
    for row, column in np.ndindex(4, 5):
        block = matrix.values[3 * row : 3 * row + 3, 2 * column : 2 * column + 2]
        assert shown.values[row, column] == block.max()
    assert shown.note == "Shown: the largest of each 3 × 2 cells (of 10 × 10)."


def test_a_nan_in_a_block_is_not_lost():
    values = np.zeros((4, 4))
    values[3, 2] = np.nan
    shown = thinned(Matrix("T", values, Axis("a"), Axis("b"), kind="probability"), 2, 2)
    np.testing.assert_array_equal(np.isnan(shown.values), [[False, False], [False, True]])


def test_the_mask_is_what_lies_right_of_the_diagonal():
    np.testing.assert_array_equal(masked(pattern(4, 4)), np.triu(np.ones((4, 4)), 1) > 0)
    # With a cache, the last query stands at the last key.
    np.testing.assert_array_equal(masked(pattern(2, 5)), np.triu(np.ones((2, 5)), 4) > 0)


def test_no_number_but_a_zero_counts_as_masked():
    matrix = pattern(4, 4)
    values = matrix.values.copy()
    values[0, 2], values[3, 0] = 0.5, 0.0
    edited = Matrix("A", values, Axis("query"), Axis("key"), kind="probability")
    assert not masked(edited)[0, 2]
    assert not masked(edited)[3, 0]
    cached = pattern(2, 5).values.copy()
    cached[0, 2] = 0.0  # Seen, and not looked at.
    with_cache = Matrix("A", cached, Axis("query"), Axis("key"), kind="probability")
    assert masked(with_cache).sum() == 1
    scores = np.where(np.triu(np.ones((3, 3)), 1) > 0, -np.inf, 1.0)
    assert masked(Matrix("S", scores, Axis("query"), Axis("key"))).sum() == 3
    assert not masked(Matrix("S", scores, Axis("position"), Axis("d_model"))).any()


def test_a_block_is_masked_only_where_all_of_it_is():
    matrix = pattern(8, 8)
    shown = thinned(matrix, 4, 4)
    np.testing.assert_array_equal(shown.masked, np.triu(np.ones((4, 4)), 1) > 0)


@pytest.mark.parametrize(
    ("axis", "shown"),
    [
        (Axis("d_model"), ["0", "…", "2"]),
        (Axis("position", ("i", "am", " groot")), ["i", "…", "␣groot"]),
        (Axis("position", ("i", "am", "i")), ["0 i", "…", "2 i"]),
        (Axis("vocab", ("i", "am", "groot")), ["0 i", "…", "2 groot"]),
    ],
)
def test_labels_have_indices_where_they_need_them(axis, shown):
    assert labels_of(axis, (0, None, 2), "…") == shown
