"""Truths about the filters, on any scores: ties, impossible ids and a single token included."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.generation.filters import (
    best,
    keep_min_p,
    keep_top_k,
    keep_top_p,
    leave_out,
    penalize,
    scale,
    softmax,
)

# Small whole numbers make ties, −inf an id that can never follow.
score = st.one_of(st.integers(-2, 2).map(float), st.floats(-1e4, 1e4, width=32), st.just(-math.inf))
any_scores = (
    st.lists(score, min_size=1, max_size=40)
    .filter(lambda row: max(row) > -math.inf)
    .map(lambda row: np.array(row))
)


def ranked(scores):
    """Return all ids, highest score first, equal ones by lowest id."""
    return sorted(range(len(scores)), key=lambda i: (-scores[i], i))


def possible(scores):
    """Return the set of ids that can follow."""
    return {i for i, value in enumerate(scores) if value > -math.inf}


@given(any_scores)
def test_softmax_is_exp_over_its_sum(scores):
    weights = [math.exp(value - max(scores)) for value in scores]
    expected = [weight / math.fsum(weights) for weight in weights]
    # Below 1e-308 a float64 has fewer digits to be right in.
    np.testing.assert_allclose(softmax(scores), expected, rtol=1e-13, atol=1e-300)


def test_softmax_of_the_largest_scores_there_are():
    huge = np.finfo(np.float64).max
    np.testing.assert_array_equal(softmax(np.array([huge, -huge, huge])), [0.5, 0, 0.5])


@given(any_scores, st.integers(1, 60))
def test_best_is_a_sort_cut_after_k_ids(scores, k):
    assert best(scores, k).tolist() == ranked(scores)[:k]


@given(any_scores, st.floats(1e-6, 1e6))
def test_a_temperature_divides_every_difference(scores, temperature):
    scaled = scale(scores, temperature=temperature)
    i = ranked(scores)[0]
    np.testing.assert_allclose(
        scaled - scaled[i], (scores - scores[i]) / temperature, rtol=1e-12, atol=0
    )


@given(any_scores)
def test_a_temperature_of_zero_keeps_the_lowest_of_the_best(scores):
    kept = scale(scores, temperature=0.0)
    assert possible(kept) == {ranked(scores)[0]}


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=40))
def test_a_tiny_temperature_shares_all_among_the_best(whole):
    probabilities = softmax(scale(np.array(whole, dtype=float), temperature=1e-6))
    is_best = np.array(whole) == max(whole)
    np.testing.assert_array_equal(probabilities, is_best / is_best.sum())


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=40))
def test_a_huge_temperature_makes_all_equal(values):
    probabilities = softmax(scale(np.array(values), temperature=1e6))
    np.testing.assert_allclose(probabilities, 1 / len(values), rtol=2e-4)


@given(any_scores)
def test_the_smallest_temperature_there_is_does_not_overflow(scores):
    probabilities = softmax(scale(scores, temperature=5e-324))
    assert probabilities[ranked(scores)[0]] > 0
    assert probabilities.sum() == pytest.approx(1, abs=1e-14)


@given(any_scores, st.integers(1, 60))
def test_top_k_keeps_exactly_k_and_does_not_touch_them(scores, k):
    kept = keep_top_k(scores, k=k)
    # An id that was impossible before takes a place only after all the possible ones.
    assert possible(kept) == set(ranked(scores)[:k]) & possible(scores)
    assert len(possible(kept)) == min(k, len(possible(scores)))
    stay = sorted(possible(kept))
    np.testing.assert_array_equal(kept[stay], scores[stay])


@given(any_scores, st.floats(1e-9, 1))
def test_top_p_keeps_the_fewest_that_hold_the_share(scores, p):
    kept = possible(keep_top_p(scores, p=p))
    probabilities = softmax(scores)
    order = ranked(scores)[: len(kept)]
    assert kept == set(order)
    assert math.fsum(probabilities[order]) >= p - 1e-12
    if p < 1:
        assert math.fsum(probabilities[order[:-1]]) < p


@given(any_scores)
def test_the_smallest_top_p_keeps_the_best_id(scores):
    assert possible(keep_top_p(scores, p=1e-9)) == {ranked(scores)[0]}


def test_a_top_p_of_one_keeps_what_rounding_would_lose():
    scores = np.array([0.0, -600.0, -math.inf])
    assert softmax(scores)[0] == 1.0
    assert possible(keep_top_p(scores, p=1)) == {0, 1}


@pytest.mark.parametrize("vocab", [3, 7, 10, 24, 1000])
def test_top_p_counts_equal_tokens_as_arithmetic_does(vocab):
    # In floating point eight times 0.1 is less than 0.8; it must not let a ninth token in.
    for n in range(1, vocab + 1):
        assert possible(keep_top_p(np.zeros(vocab), p=n / vocab)) == set(range(n))


@given(any_scores, st.floats(0, 1))
def test_min_p_keeps_what_is_likely_enough_and_does_not_touch_it(scores, p):
    kept = keep_min_p(scores, p=p)
    weights = softmax(scores)
    for i in range(len(scores)):
        ratio = weights[i] / weights.max()
        if ratio > p * (1 + 1e-9):
            assert kept[i] == scores[i]
        elif ratio < p * (1 - 1e-9):
            assert kept[i] == -math.inf
    assert kept[ranked(scores)[0]] == max(scores)


@given(any_scores)
def test_min_p_of_zero_keeps_all_and_of_one_the_best_alone_with_its_equals(scores):
    np.testing.assert_array_equal(keep_min_p(scores, p=0), scores)
    level = np.flatnonzero(scores > max(scores) - 1e-9)
    assert possible(keep_min_p(scores, p=1)) <= set(level)


def test_min_p_is_a_share_of_probability_not_of_the_score():
    # The best score is negative, and the second, seven tenths as likely, is three times as large.
    scores = np.log([0.2, 0.14, 0.01])
    assert possible(keep_min_p(scores, p=0.7)) == {0, 1}
    assert possible(keep_min_p(scores, p=0.71)) == {0}
    assert possible(keep_min_p(scores + 100, p=0.7)) == {0, 1}


@given(any_scores, st.sets(st.integers(0, 39)), st.floats(1, 1e308))
def test_a_penalty_lowers_what_was_seen_whatever_its_sign_and_leaves_the_rest(
    scores, seen, penalty
):
    ids = np.array([i for i in sorted(seen) if i < len(scores)], dtype=np.int64)
    penalized = penalize(scores, ids=ids, penalty=penalty)
    assert possible(penalized) == possible(scores)
    for i, (before, after) in enumerate(zip(scores, penalized, strict=True)):
        if i not in ids:
            assert after == before
        elif before > 0:
            assert after == before / penalty
        else:
            assert after <= before
            product = float(before) * penalty
            assert after == (max(product, -np.finfo(float).max) if before > -math.inf else before)


def test_a_penalty_divides_positive_scores_and_multiplies_negative_ones():
    scores = np.array([3.0, -3.0, 0.0, -math.inf, 3.0])
    found = penalize(scores, ids=np.array([0, 1, 2, 3]), penalty=1.5)
    assert found.tolist() == [2.0, -4.5, 0.0, -math.inf, 3.0]


def test_a_penalty_below_one_rewards_and_overflows_to_no_infinity():
    found = penalize(np.array([3.0, -3.0, 1e300]), ids=np.arange(3), penalty=1e-300)
    assert np.isfinite(found).all()
    assert found[0] > 3
    assert found[1] > -3


@given(any_scores, st.sets(st.integers(0, 39)))
def test_what_is_left_out_cannot_follow(scores, ids):
    there = [i for i in ids if i < len(scores)]
    kept = leave_out(scores, ids=np.array(there, dtype=np.int64))
    assert possible(kept) == possible(scores) - set(there)
