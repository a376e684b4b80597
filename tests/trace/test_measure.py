"""How far one tensor is from another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pellucid.trace.measure import measure
from pellucid.trace.tensor import TracedTensor

inf, nan = np.inf, np.nan


def tensor(values, labels=None):
    values = np.asarray(values)
    dims = ("head", "query", "key")[-values.ndim :] if values.ndim else ()
    return TracedTensor("scores", values, dims, labels or {}, "Scores", "")


@given(arrays(np.float32, array_shapes(max_dims=3)))
def test_a_tensor_is_equal_to_itself_whatever_it_holds(values):
    with np.errstate(invalid="ignore"):
        found = measure(tensor(values), values.copy(), "float32")
    assert found.equal
    assert found.largest == found.typical == found.largest_ulps == 0
    assert found.nans == np.isnan(values).sum()


@given(
    arrays(np.float64, (2, 3), elements=st.floats(-8, 8)),
    st.integers(0, 1),
    st.integers(0, 2),
)
def test_the_largest_error_is_named_by_its_cell(values, query, key):
    other = values.copy()
    other[query, key] += 0.25
    found = measure(tensor(values, {"key": ("i", "am", "groot")}), other, "float64")
    assert found.cell == {"query": query, "key": key}
    assert found.where == f"query={query}, {('i', 'am', 'groot')[key]}"
    assert (found.a, found.b) == (values[query, key], other[query, key])
    assert found.largest == abs(found.a - found.b)
    assert found.typical == 0
    assert found.magnitude == max(np.abs(values).max(), np.abs(other).max())


def test_errors_are_counted_in_units_of_the_last_place():
    ones = np.ones(3, "float32")
    found = measure(tensor(ones), ones + np.array([0, 2**-23, 4 * 2**-23], "float32"), "float32")
    assert found.largest_ulps == 4
    assert found.typical_ulps == 1
    assert found.typical == 2**-23


def test_equal_infinities_differ_by_nothing_and_do_not_count_as_large():
    a, b = np.array([[1.0, -inf], [2.0, inf]]), np.array([[1.5, -inf], [2.0, inf]])
    found = measure(tensor(a), b, "float64")
    assert found.largest == 0.5
    assert found.magnitude == 2


@pytest.mark.parametrize("other", [0.0, inf, nan])
def test_an_infinity_on_one_side_alone_is_the_largest_error(other):
    a, b = np.array([[1.0, 5.0], [-inf, 3.0]]), np.array([[100.0, 5.0], [other, 3.0]])
    found = measure(tensor(a), b, "float64")
    assert found.largest == found.largest_ulps == inf
    assert found.cell == {"query": 1, "key": 0}


def test_nans_on_both_sides_are_equal_and_counted():
    found = measure(tensor([nan, 1.0, nan]), np.array([nan, 1.0, 2.0]), "float64")
    assert found.nans == 1
    assert found.cell == {"key": 2}


def test_one_number_has_no_cell_to_name():
    found = measure(tensor(1.0), np.array(1.5), "float64")
    assert (found.cell, found.where, found.largest) == ({}, "", 0.5)


def test_the_change_is_taken_for_the_size_of_what_was_there():
    a, b = np.array([[3.0, -inf], [4.0, 0.0]]), np.array([[3.0, -inf], [4.0, 2.0]])
    found = measure(tensor(a), b, "float64")
    assert found.relative == pytest.approx(2 / 5)
    assert measure(tensor(a), a.copy(), "float64").relative == 0
    assert measure(tensor(np.zeros(2)), np.array([0.0, 1e-9]), "float64").relative == inf
    masked = np.array([[3.0, -inf], [-inf, 0.0]])
    assert measure(tensor(a), masked, "float64").relative == inf


def test_another_shape_is_a_fault_whatever_the_numbers():
    found = measure(tensor(np.ones((2, 3))), np.ones((3, 2)), "float64")
    assert found.kind == "fault"
    assert (found.shape, found.shape_in_b) == ((2, 3), (3, 2))
    assert found.cell == {}
