"""Numbers in columns: what is written is what was computed, and points stand in one column."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pellucid.views.numbers import NumberFormat, at_points, percent

NUMBERS = arrays(np.float64, st.integers(1, 12), elements=st.floats(width=32))


def number(text):
    return float(text.replace("−", "-").replace("∞", "inf"))


@given(NUMBERS)
def test_a_number_reads_back_to_what_was_computed(values):
    form = NumberFormat.fitting(values)
    for value in values.tolist():
        read = number(form.text(value))
        if not np.isfinite(value):
            np.testing.assert_equal(read, value)
        elif form.scientific:
            assert abs(read - value) <= 0.5001 * 10**-form.decimals * 10 ** np.floor(
                np.log10(abs(value) or 1)
            )
        else:
            assert abs(read - value) <= 0.5001 * 10**-form.decimals


def test_a_negative_number_that_rounds_to_zero_has_no_sign():
    form = NumberFormat.fitting(np.array([0.5, -0.25, -0.0001]))
    assert [form.text(value) for value in (-0.0001, -0.0005001)] == ["0.000", "-0.001"]


@given(NUMBERS)
def test_points_and_ends_stand_in_one_column(values):
    texts = at_points([NumberFormat.fitting(values).text(value) for value in values.tolist()])
    assert len({len(text) for text in texts}) == 1
    assert len({text.index(".") for text in texts if "." in text}) <= 1


def test_signs_zero_and_what_is_not_finite_align_with_the_rest():
    values = np.array([0.5, -12.345, 0.0, 1e-9, -np.inf, np.inf, np.nan])
    form = NumberFormat.fitting(values)
    assert at_points([form.text(value) for value in values.tolist()]) == [
        "  0.500",
        "-12.345",
        "  0    ",
        "  0.000",
        " −∞    ",
        "  ∞    ",
        "NaN    ",
    ]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1.0, 0.0, -2.0], ["1", "0", "-2"]),
        ([0.0213, -0.0041, 0.0007], ["0.0213", "-0.0041", "0.0007"]),
        ([0.1234567, -0.0456], ["0.123", "-0.046"]),
        ([0.5123456, 0.0012345, 0.0009876], ["0.51235", "0.00123", "0.00099"]),
        ([333.2, 0.4], ["333.2", "0.4"]),
        ([1.0, 0.25], ["1.00", "0.25"]),
        ([1.23456, 23.4], ["1.235", "23.400"]),
        ([123456.78, 0.5], ["123456.8", "0.5"]),
        ([1.5e-5, -2.25e-7], ["1.50e-5", "-2.25e-7"]),
        ([2.5e8, 0.25], ["2.50e8", "2.50e-1"]),
        ([3e12], ["3.00e12"]),
        ([7, 50256], ["7", "50256"]),
    ],
)
def test_numbers_are_written_as_long_as_they_need(values, texts):
    form = NumberFormat.fitting(np.array(values))
    assert [form.text(value) for value in values] == texts


def test_infinity_has_a_plain_spelling_for_plain_outputs():
    form = NumberFormat.fitting(np.array([1.5]), unicode=False)
    assert [form.text(value) for value in (-np.inf, np.inf)] == ["-inf", "inf"]
    assert at_points(["-inf", "1.500"]) == ["-inf    ", "   1.500"]


def test_numbers_with_words_after_them_align_too():
    assert at_points(["1.5 %", "12.25 %", "none"]) == ["   1.5 % ", "  12.25 %", "none     "]


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0"),
        (0.5, "50.0%"),
        (1, "100.0%"),
        (0.1234, "12.3%"),
        (0.0005, "0.1%"),
        (0.0004, "<0.1%"),
        (np.nan, "NaN"),
    ],
)
def test_a_share_is_a_percentage_with_one_decimal(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("values", "most", "texts"),
    [
        ([0.8401, -0.0004, 0.0], 2, ["0.84", "0.00", "0"]),
        ([0.8401, -0.0004, 0.0], 3, ["0.840", "0.000", "0"]),
        ([0.5, -0.25], 3, ["0.50", "-0.25"]),
        ([3.0, 4.0], 2, ["3", "4"]),
        ([1234.5678], 2, ["1234.57"]),
        ([0.0008, -0.0002], 2, ["8.00e-4", "-2.00e-4"]),
    ],
)
def test_there_are_no_more_decimals_than_are_asked_for(values, most, texts):
    form = NumberFormat.fitting(np.array(values), most=most)
    assert [form.text(value) for value in values] == texts
