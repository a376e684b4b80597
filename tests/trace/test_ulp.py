"""How far two floating-point numbers are apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.trace.ulp import coarsest, difference, in_last_places, roundoff

inf, nan = np.inf, np.nan


def test_equal_infinities_and_nans_differ_by_nothing():
    both = np.array([inf, -inf, nan, 2.0])
    assert not difference(both, both).any()


@pytest.mark.parametrize(
    ("a", "b"), [(inf, -inf), (inf, 1.0), (nan, 1.0), (nan, inf), (-inf, nan), (-inf, -1e9)]
)
def test_an_infinity_or_a_nan_on_one_side_alone_is_infinitely_far(a, b):
    assert difference(np.array(a), np.array(b)) == inf
    assert difference(np.array(b), np.array(a)) == inf
    assert in_last_places(np.array(inf), np.array(a), np.array(b), "float32") == inf


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_the_next_number_is_one_unit_away(number):
    for dtype in ("float32", "float64"):
        here = np.array(number, dtype)
        step = np.finfo(dtype).smallest_normal
        if abs(here) >= 2 * step:
            there = np.nextafter(here, np.array(0, dtype))  # the larger of the two sets the unit
            error = difference(here, there)
            power_of_two = np.frexp(here)[0] in (0.5, -0.5)
            expected = 0.5 if power_of_two else 1.0
            assert in_last_places(error, here, there, dtype) == expected


def test_units_are_those_of_the_coarser_type():
    a, b = np.array(1.0), np.array(1.0 + 2**-23)
    assert in_last_places(difference(a, b), a, b, "float32") == 1
    assert in_last_places(difference(a, b), a, b, "float64") == 2**29


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_largest_and_the_smallest_numbers_have_units_too(dtype):
    limits = np.finfo(dtype)
    most = np.array(limits.max)
    last = np.array(np.nextafter(limits.max, np.array(0, dtype)))
    assert in_last_places(difference(most, last), most, last, dtype) == 1
    zero, least = np.array(0.0), np.array(float(limits.smallest_subnormal))
    assert in_last_places(difference(zero, least), zero, least, dtype) == 1


def test_the_coarsest_type_is_no_finer_than_float64():
    single, double = np.zeros(1, "float32"), np.zeros(1, "float64")
    assert coarsest([single, double]) == "float32"
    assert coarsest([double, np.zeros(1, "int64")]) == "float64"
    assert coarsest([np.zeros(1, np.longdouble)]) == "float64"
    assert coarsest([single, np.zeros(1, ">f2")]) == "float16"


def test_rounding_is_off_by_no_more_than_its_unit():
    assert roundoff("float32") == 2**-24
    assert roundoff("float64") == 2**-53
