"""How one number was made, as data that can be worked out again."""

import numpy as np
import pytest

from pellucid.ops.term import (
    LONG,
    Derivation,
    Operands,
    Summand,
    largest_first,
    products,
    reach,
)

X = Operands("x", "x", (1, np.arange(3)), np.array([1.0, -2.0, 4.0]))
W = Operands("w", "w", (np.arange(3), 0), np.array([3.0, 0.5, 0.25], dtype=np.float32))
B = Operands("b", "b", (0,), np.array([10.0]))


def derivation(**changes):
    given = {
        "operands": (X, W, B),
        "formula": "x · w / 2 + b",
        "latex": "x",
        "substituted": "1",
        "summands": (Summand((0, 1), 0.5), Summand((2,))),
    }
    return Derivation(**{**given, **changes})


def test_products_are_added_up_with_their_scales():
    assert derivation().recompute() == (3 - 1 + 1) / 2 + 10
    one, two = derivation().contributions()
    assert list(one) == [1.5, -0.5, 0.5]
    assert list(two) == [10]


def test_other_values_can_take_the_operands_places():
    assert derivation().recompute((X.values, W.values, np.array([0.0]))) == 1.5


def test_a_rule_takes_the_place_of_the_sum():
    rooted = derivation(summands=(), rule=lambda x, w, b: np.sqrt(b[0] - x[0]))
    assert rooted.recompute() == 3
    assert rooted.contributions() == ()
    weighed = derivation(
        summands=(), rule=lambda x, w, b: np.exp(x).sum(), weights=lambda x, w, b: np.exp(x)
    )
    np.testing.assert_array_equal(weighed.contributions()[0], np.exp(X.values))


def test_rounding_is_measured_by_the_sizes_of_the_products_unless_it_is_said():
    assert derivation().size() == 1.5 + 0.5 + 0.5 + 10
    assert derivation(rounding=7.0).size() == 7


def test_an_infinite_product_says_nothing_about_rounding():
    endless = Operands("x", "x", (0, np.arange(3)), np.array([1.0, -np.inf, 4.0]))
    of_it = derivation(operands=(endless, W, B))
    assert of_it.recompute() == -np.inf
    assert of_it.size() == 1.5 + 0.5 + 10


def test_infinity_times_zero_is_no_warning():
    endless = Operands("x", "x", (0, np.arange(1)), np.array([np.inf]))
    nothing = Operands("w", "w", (np.arange(1), 0), np.zeros(1))
    product = derivation(operands=(endless, nothing), summands=(Summand((0, 1)),))
    assert np.isnan(product.recompute())


def test_products_are_of_float64():
    (product,) = products(Summand((0, 0)), [np.array([0.1], dtype=np.float64)])
    assert product == 0.1 * 0.1


@pytest.mark.parametrize(
    ("numbers", "largest"), [([1, -3, 2], 3), ([-np.inf, 0.5, np.nan], 0.5), ([np.inf], 0)]
)
def test_reach_is_of_the_finite_numbers(numbers, largest):
    assert reach(np.array(numbers, dtype=np.float64)) == largest


def test_the_largest_sizes_come_first_and_equals_in_order():
    assert list(largest_first(np.array([1.0, -3.0, 3.0, np.nan, -np.inf]))) == [4, 1, 2, 0, 3]
    long = np.random.default_rng(0).standard_normal(2 * LONG)
    sizes = np.abs(long[largest_first(long)])
    assert (np.diff(sizes) <= 0).all()
    assert sorted(sizes) == sorted(np.abs(long))
