"""A grid of matrices is reduced to numbers that stand in it, and knows what lies in the future."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pellucid.views.scene import Axis, Panels
from tests.small_models import small_model

CELLS = arrays(
    np.float64,
    array_shapes(min_dims=3, max_dims=3, max_side=7),
    elements=st.just(np.nan) | st.just(-np.inf) | st.floats(-9, 9),
)


def of(*values, kind="signed", dims=("query", "key"), note=None):
    rows, columns = (Axis(dim) for dim in dims)
    return Panels(
        "T", tuple(map(np.asarray, values)), Axis("block"), Axis("head"), rows, columns, kind, note
    )


def test_matrices_are_of_one_shape():
    with pytest.raises(ValueError, match="arrays of one shape"):
        of(np.ones((1, 2, 2)), np.ones((1, 3, 3)))
    with pytest.raises(ValueError, match="3 dims"):
        of(np.ones((2, 2)))
    with pytest.raises(ValueError, match="2 labels for 1 indices of block"):
        Panels("T", (np.ones((1, 1, 1)),), Axis("block", ("a", "b")), Axis(""), Axis(""), Axis(""))


def test_rows_and_columns_have_names():
    panels = of(np.ones((3, 2, 2)), np.ones((3, 2, 2)))
    assert panels.shape == (2, 3, 2, 2)
    assert panels.row_names == ("block 0", "block 1")
    assert panels.column_names == ("head 0", "head 1", "head 2")


@given(CELLS, st.integers(1, 8), st.integers(1, 8))
def test_a_reduced_cell_is_the_number_of_its_square_that_is_farthest_from_zero(
    array, height, width
):
    small = of(array).reduced(height, width)
    _, _, rows, columns = small.shape
    assert rows <= height
    assert columns <= width
    size = max(-(-array.shape[1] // height), -(-array.shape[2] // width))
    for head, row, column in np.ndindex(small.values[0].shape):
        square = array[head, row * size : (row + 1) * size, column * size : (column + 1) * size]
        shown = small.values[0][head, row, column]
        if np.isnan(square).any():
            assert np.isnan(shown)
        elif np.isneginf(square).all():
            assert np.isneginf(shown)
        else:
            assert shown in square
            assert abs(shown) == np.abs(square[~np.isneginf(square)]).max()


def test_a_reduced_grid_says_so_and_labels_its_cells():
    small = of(np.ones((1, 5, 5)), note="A note.").reduced(2, 5)
    assert small.inner_rows.labels == ("0–2", "3–4")
    assert small.note == (
        "Each cell stands for up to 3 × 3 numbers and shows the one farthest from 0. A note."
    )
    whole = of(np.ones((1, 5, 5)))
    assert whole.reduced(5, 5) is whole


def test_infinity_is_never_hidden():
    small = of([[[1.0, np.inf], [2.0, -np.inf]]]).reduced(1, 1)
    assert small.values[0].item() == np.inf


def test_one_scale_holds_for_all():
    assert of(np.full((1, 1, 1), 0.5), np.full((1, 1, 1), -2.0)).limit == 2
    assert of(np.full((1, 1, 1), 0.5), kind="probability").limit == 1
    assert of([[[np.nan, -np.inf, 3.0]]]).limit == 3


def test_the_future_of_a_pattern_is_what_lies_right_of_the_diagonal():
    trace = small_model().trace(ids=[1, 4, 2, 4])
    later = np.triu(np.ones((4, 4), dtype=bool), 1)
    for name, kind in (("pattern", "probability"), ("masked_scores", "signed")):
        panels = of(*(trace[f"blocks.{block}.attn.{name}"].values for block in range(2)), kind=kind)
        np.testing.assert_array_equal(panels.future, later)
    scores = of(trace["blocks.0.attn.scores"].values)
    assert not scores.future.any()


def test_a_zero_is_no_future_where_another_matrix_has_a_number():
    one, other = np.tril(np.ones((1, 2, 2))), np.ones((1, 2, 2))
    assert of(one).future.any()
    assert not of(one, other).future.any()
    assert not of(one, dims=("position", "d_head")).future.any()


def test_of_more_keys_than_queries_the_last_query_sees_all():
    assert of([[[1, 0, 0], [1, 1, 1]]]).future.tolist() == [[False, False, True], [False] * 3]
