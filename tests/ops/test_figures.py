"""Numbers in formulas: short, signed, and the largest products first."""

import numpy as np
import pytest

from pellucid.ops.figures import (
    and_more,
    bracketed,
    figure,
    in_latex,
    largest_of,
    sum_of_products,
)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (2, "2"),
        (1.23456, "1.235"),
        (-1.5, "−1.5"),
        (-3.707e-5, "−3.707e−05"),
        (123456.0, "1.235e+05"),
        (np.float32(0.1), "0.1"),
        (-np.inf, "−∞"),
        (np.inf, "∞"),
        (np.nan, "NaN"),
    ],
)
def test_four_digits_and_signs(number, text):
    assert figure(number) == text


def test_fewer_digits_where_there_is_less_room():
    assert figure(1.23456, 3) == "1.23"
    assert bracketed(-0.0012345, 2) == "(−0.0012)"


def test_a_negative_factor_stands_in_brackets():
    assert [bracketed(x) for x in (2.0, -2.0, -np.inf)] == ["2", "(−2)", "(−∞)"]


def test_the_largest_products_come_first_and_the_rest_are_counted():
    x, w = np.array([1.0, -3.0, 2.0, 0.5, 0.1]), np.array([1.0, 2.0, 2.0, 1.0, 1.0])
    assert sum_of_products([x, w]) == "(−3) × 2 + 2 × 2 + 1 × 1 + … 2 more"
    assert sum_of_products([x[:2], w[:2]], [-0.25]) == "(−3) × 2 + 1 × 1 + (−0.25)"
    assert sum_of_products([x[:1]]) == "1"


def test_what_is_left_is_counted():
    assert and_more(["a", "b"], 2) == ["a", "b"]
    assert and_more(["a"], 1234) == ["a", "… 1,233 more"]
    assert largest_of(np.array([1.0, -np.inf, 5.0, 3.0])) == ["5", "3", "1"]


@pytest.mark.parametrize(
    ("numbers", "latex"),
    [
        ("1.5 × (−2) + … 5 more", r"1.5 \cdot (-2) + \dots\, 5\text{ more}"),
        ("(3 × 4) / √8", r"(3 \cdot 4) / \sqrt{8}"),
        ("1 / √(2 / 8 + 1e−05)", r"1 / \surd(2 / 8 + 1 \cdot 10^{-5})"),
        ("exp(1.2e+10 − (−∞)) / 3", r"\exp(1.2 \cdot 10^{10} - (-\infty)) / 3"),
        ("Φ(NaN)", r"\Phi(\text{NaN})"),
        ("sin(3 × 0.1)", r"\sin(3 \cdot 0.1)"),
        ("max(1, 2)", r"\max(1, 2)"),
        ("log(exp(1))", r"\log(\exp(1))"),
        ("50% of it", r"50\%\text{ of}\text{ it}"),
    ],
)
def test_numbers_in_latex(numbers, latex):
    assert in_latex(numbers) == latex


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.00023, "1.0002"),
        (-2.00001, "−2.00001"),
        (1.0, "1"),
        (1 + 1e-12, "1"),
        (0.99999, "0.99999"),
    ],
)
def test_a_number_that_is_not_whole_does_not_look_whole(value, text):
    assert figure(value) == text
