"""A loss is the same in every unit."""

import math

import pytest

from pellucid.training.units import bits_per_byte, perplexity


@pytest.mark.parametrize("n", [1, 2, 50, 50_257])
def test_choosing_among_equals_has_their_number_as_perplexity(n):
    assert perplexity(math.log(n)) == pytest.approx(n)


def test_a_loss_beyond_all_bounds_has_one_too():
    assert perplexity(1e6) == perplexity(math.inf) == math.inf


def test_a_bit_is_as_much_as_a_coin_says():
    assert bits_per_byte(8 * math.log(2), 8) == pytest.approx(1)
    assert bits_per_byte(3 * math.log(256), 3) == pytest.approx(8)


def test_without_bytes_there_are_none_to_share():
    assert math.isnan(bits_per_byte(1.0, 0))
