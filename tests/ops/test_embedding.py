"""Rows are looked up by index, and gradients find their way back to them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.ops.embedding import SMALL_TABLE, Embedding, sum_rows

TABLE = np.arange(12.0).reshape(4, 3)


def test_each_index_gets_its_row():
    index = np.array([[0, 3, 3], [2, 1, 0]])
    rows, extras = Embedding("table", "vocab").forward([index], [TABLE])
    assert np.array_equal(rows, TABLE[index])
    assert extras == ()


def test_the_rows_are_a_copy():
    rows, _ = Embedding("table", "vocab").forward([np.array([[1]])], [TABLE])
    assert not np.shares_memory(rows, TABLE)


@given(st.data())
@pytest.mark.parametrize("size", [1, 5, SMALL_TABLE, SMALL_TABLE + 1, 3 * SMALL_TABLE])
def test_rows_with_one_index_are_added_up_in_either_way(size, data):
    index = np.array(data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=40)))
    rows = np.random.default_rng(0).standard_normal((len(index), 3))
    expected = np.zeros((size, 3))
    np.add.at(expected, index, rows)
    np.testing.assert_allclose(sum_rows(rows, index, size), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("size", [SMALL_TABLE, SMALL_TABLE + 1])
def test_sums_have_the_dtype_of_the_rows(size):
    sums = sum_rows(np.ones((3, 2), dtype=np.float32), np.array([7, 0, 7]), size)
    assert sums.shape == (size, 2)
    assert sums.dtype == np.float32
    assert sums[[0, 7, 1], 0].tolist() == [1, 2, 0]
