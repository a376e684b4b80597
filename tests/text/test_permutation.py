"""A shuffle puts everything somewhere else, once."""

from collections import Counter
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.text.permutation import Shuffle


def shuffle(n, seed=0):
    return Shuffle(n, np.random.SeedSequence(seed))


@given(st.integers(1, 3000), st.integers(0, 2**64))
def test_every_place_comes_once(n, seed):
    assert sorted(shuffle(n, seed)(np.arange(n))) == list(range(n))


@given(st.integers(1, 10**15), st.lists(st.integers(0, 10**15 - 1), unique=True))
def test_one_place_is_found_without_the_others(n, places):
    asked = np.array([place for place in places if place < n], dtype=np.int64)
    together = shuffle(n)(asked)
    assert together.tolist() == [int(shuffle(n)(asked[[i]])[0]) for i in range(len(asked))]
    assert len(set(together.tolist())) == len(asked)
    assert ((together >= 0) & (together < n)).all()


def test_seeds_have_orders_of_their_own():
    orders = {tuple(shuffle(100, seed)(np.arange(100))) for seed in range(1000)}
    assert len(orders) == 1000


def test_every_order_of_a_few_occurs():
    for n in range(1, 6):
        orders = Counter(
            tuple(shuffle(n, seed)(np.arange(n))) for seed in range(100 * factorial(n))
        )
        assert len(orders) == factorial(n)


@pytest.mark.parametrize("n", [50, 997, 4096])
def test_neither_places_nor_neighbours_stay_together(n):
    orders = np.array([shuffle(n, seed)(np.arange(n)) for seed in range(300)])
    # In a uniform shuffle each has a mean of 1 over 300 seeds, with a deviation of 1/√300 or so.
    stays = (orders == np.arange(n)).sum(axis=1).mean()
    follows = (np.diff(orders, axis=1) == 1).sum(axis=1).mean()
    assert stays == pytest.approx(1, abs=4 / 300**0.5)
    assert follows == pytest.approx(1, abs=4 / 300**0.5)
    # Where the first one goes is uniform: chi-square over ten parts, 99.99th percentile 33.7.
    parts = np.bincount(orders[:, 0] * 10 // n, minlength=10)
    expected = np.bincount(np.arange(n) * 10 // n, minlength=10) * 300 / n
    assert ((parts - expected) ** 2 / expected).sum() < 33.7
