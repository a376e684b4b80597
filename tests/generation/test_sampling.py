"""Truths about sampling: how often an id comes, what a stage records, what is refused."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.generation.loop import step_generator
from pellucid.generation.sampling import Sampling, pick

DRAWS = 100_000
# Eleven possible tokens, three of them tied, and one that can never follow.
LOGITS = [1.5, 0.25, -math.inf, 2.0, 0.25, -1.0, 0.25, 3.0, -2.5, 2.5, 0.0, 1.0]

SETTINGS = {
    "temperature 1": Sampling(temperature=1.0),
    "temperature 0.7": Sampling(temperature=0.7),
    "temperature 2": Sampling(temperature=2.0),
    "top-k 1": Sampling(temperature=1.0, top_k=1),
    # The seventh place is shared by three.
    "top-k in a tie": Sampling(temperature=1.0, top_k=7),
    "top-k above the vocabulary": Sampling(temperature=1.0, top_k=100),
    "top-p 0.9": Sampling(temperature=1.0, top_p=0.9),
    "top-p 1e-9": Sampling(temperature=1.0, top_p=1e-9),
    "top-p 1": Sampling(temperature=1.0, top_p=1.0),
    "min-p 0.1": Sampling(temperature=1.0, min_p=0.1),
    "min-p 0": Sampling(temperature=1.0, min_p=0.0),
    "min-p 1": Sampling(temperature=1.0, min_p=1.0),
    "repetition penalty": Sampling(temperature=1.0, repetition_penalty=1.5),
    "repetition reward": Sampling(temperature=1.0, repetition_penalty=0.8),
    "all of them": Sampling(
        temperature=1.3, top_k=8, top_p=0.95, min_p=0.1, repetition_penalty=1.2
    ),
}
SEEN = [7, 5, 7, 2, 0, 10, 5]
"""Ids that have come before, some of them twice, of either sign, zero and −inf."""
NEVER = {1, 9}


def exact_distribution(logits, sampling):
    """Return the probability of every id that can come, straight from the definitions."""
    logits = [-math.inf if i in NEVER else logit for i, logit in enumerate(logits)]
    penalty = sampling.repetition_penalty or 1
    for i in set(SEEN):
        logits[i] *= penalty if logits[i] < 0 else 1 / penalty
    kept = sorted(range(len(logits)), key=lambda i: (-logits[i], i))[: sampling.top_k]
    weights = {i: math.exp((logits[i] - max(logits)) / sampling.temperature) for i in kept}
    share = (sampling.top_p or 1) * math.fsum(weights.values())
    nucleus: list[int] = []
    for i in kept:
        if math.fsum(weights[j] for j in nucleus) < share and weights[i] > 0:
            nucleus.append(i)
    likeliest = max(weights[i] for i in nucleus)
    nucleus = [i for i in nucleus if weights[i] >= (sampling.min_p or 0) * likeliest]
    total = math.fsum(weights[i] for i in nucleus)
    return {i: weights[i] / total for i in nucleus}


def filtered_by(sampling):
    """What the settings make of the logits in a text of such ids."""
    return sampling.filter(LOGITS, seen=SEEN, never=NEVER)


def chi_square(ids, expected):
    """Return Pearson's statistic of the drawn `ids` against the `expected` probabilities."""
    counts = np.bincount(ids, minlength=max(expected) + 1)
    return sum((counts[i] - len(ids) * p) ** 2 / (len(ids) * p) for i, p in expected.items())


def chi_square_bound(freedom):
    """Return what a chi-square exceeds with a probability of at most one in a million.

    Source: Laurent and Massart 2000, "Adaptive estimation of a quadratic functional by model
    selection", lemma 1.
    """
    x = math.log(1e6)
    return freedom + 2 * math.sqrt(freedom * x) + 2 * x


# How often an id comes


@pytest.mark.parametrize("sampling", SETTINGS.values(), ids=SETTINGS)
def test_draws_come_as_often_as_the_definitions_say(sampling):
    expected = exact_distribution(LOGITS, sampling)
    uniform = np.random.default_rng(7).random(DRAWS)
    ids = pick(filtered_by(sampling).probabilities, uniform)
    assert set(ids) == set(expected)
    assert chi_square(ids, expected) <= chi_square_bound(len(expected) - 1)


def test_the_draws_of_successive_steps_come_as_often_too():
    sampling = SETTINGS["all of them"]
    expected = exact_distribution(LOGITS, sampling)
    probabilities = filtered_by(sampling).probabilities
    ids = [int(pick(probabilities, step_generator(5, n).random())) for n in range(20_000)]
    assert chi_square(ids, expected) <= chi_square_bound(len(expected) - 1)


def test_that_many_draws_tell_a_temperature_from_one_three_percent_off():
    expected = exact_distribution(LOGITS, Sampling(temperature=1.0))
    uniform = np.random.default_rng(7).random(DRAWS)
    ids = pick(filtered_by(Sampling(temperature=1.03)).probabilities, uniform)
    assert chi_square(ids, expected) > chi_square_bound(len(expected) - 1)


@pytest.mark.parametrize("sampling", SETTINGS.values(), ids=SETTINGS)
def test_probabilities_are_the_definitions_to_the_last_digits(sampling):
    expected = exact_distribution(LOGITS, sampling)
    probabilities = filtered_by(sampling).probabilities
    assert probabilities.dtype == np.float64
    assert set(np.flatnonzero(probabilities)) == set(expected)
    for i, probability in expected.items():
        assert probabilities[i] == pytest.approx(probability, rel=1e-13)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20).filter(any), st.floats(0, 1))
def test_an_id_without_probability_is_never_picked(weights, uniform):
    probabilities = np.array(weights) / sum(weights)
    for u in (0.0, min(uniform, 1 - 2**-53), 1 - 2**-53):
        assert probabilities[pick(probabilities, u)] > 0
    assert pick(probabilities, 0.0) == np.flatnonzero(weights)[0]
    assert pick(probabilities, 1 - 2**-53) == np.flatnonzero(weights)[-1]


# What a stage records


def test_stages_follow_one_another_from_the_model_to_the_draw():
    filtered = filtered_by(SETTINGS["all of them"])
    assert [(stage.name, stage.setting) for stage in filtered.stages] == [
        ("never", None),
        ("repetition_penalty", 1.2),
        ("temperature", 1.3),
        ("top_k", 8),
        ("top_p", 0.95),
        ("min_p", 0.1),
    ]
    weights = np.exp(LOGITS)
    np.testing.assert_allclose(filtered.unfiltered, weights / weights.sum(), rtol=1e-13)
    before = filtered.unfiltered
    for stage in filtered.stages:
        np.testing.assert_array_equal(stage.before, before)
        before = stage.after
    assert filtered.probabilities is before
    assert filtered.stages[0].removed.tolist() == sorted(NEVER)


def test_stages_that_are_not_asked_for_are_not_there():
    assert [stage.name for stage in Sampling().filter(LOGITS).stages] == ["temperature"]


def test_a_token_that_has_come_twice_is_penalized_once():
    sampling = Sampling(temperature=1.0, repetition_penalty=2.0)
    once, twice = (sampling.filter(LOGITS, seen=seen) for seen in ([3, 5], [3, 5, 3, 3, 5]))
    np.testing.assert_array_equal(once.probabilities, twice.probabilities)
    scores = once.stages[0].scores_after
    assert (scores[3], scores[5]) == (LOGITS[3] / 2, LOGITS[5] * 2)


def test_a_penalty_can_change_what_greedy_takes():
    assert Sampling(repetition_penalty=1.3).filter(LOGITS, seen=[7]).probabilities.argmax() == 9
    assert Sampling().filter(LOGITS, seen=[7]).probabilities.argmax() == 7


def test_a_stage_says_which_ids_it_removed_and_with_how_much_probability():
    # Probabilities of one half, a quarter, an eighth and an eighth; the last never.
    logits = [*np.log([4, 2, 1, 1]), -math.inf]
    _, top_k, top_p = Sampling(temperature=1.0, top_k=3, top_p=0.8).filter(logits).stages
    assert top_k.removed.tolist() == [3]
    assert top_k.removed_probability == pytest.approx(1 / 8)
    # The share counts in what top_k left: four sevenths and two sevenths are more than 0.8.
    assert top_p.removed.tolist() == [2]
    assert top_p.removed_probability == pytest.approx(1 / 7)
    np.testing.assert_allclose(top_p.after, [2 / 3, 1 / 3, 0, 0, 0], rtol=1e-15)


def test_greedy_removes_all_but_the_lowest_of_the_best():
    greedy = Sampling(temperature=0.0, top_k=3, top_p=0.5).filter([0.0, 2.0, 2.0, -math.inf])
    (stage,) = greedy.stages
    assert stage.removed.tolist() == [0, 2]
    assert stage.removed_probability == pytest.approx(1 - greedy.unfiltered[1])
    assert greedy.probabilities.tolist() == [0, 1, 0, 0]


@given(
    logits=st.lists(st.floats(-1e30, 1e30), min_size=1, max_size=30),
    temperature=st.sampled_from([0.0, 1e-6, 1.0, 1e6]) | st.floats(0, 1e9),
    top_k=st.none() | st.integers(1, 40),
    top_p=st.none() | st.sampled_from([1e-9, 1.0]) | st.floats(1e-9, 1),
    min_p=st.none() | st.sampled_from([0.0, 1e-9, 1.0]) | st.floats(0, 1),
    repetition_penalty=st.none() | st.sampled_from([1e-300, 1.0, 1e300]) | st.floats(0.1, 10),
)
def test_every_stage_leaves_a_distribution_and_loses_nothing(logits, **settings):
    filtered = Sampling(**settings).filter(logits, seen=range(0, len(logits), 2))
    for stage in filtered.stages:
        assert stage.after.shape == (len(logits),)
        assert stage.after.sum() == pytest.approx(1, abs=1e-13)
        kept = stage.before[stage.after > 0].sum()
        assert kept + stage.removed_probability == pytest.approx(1, abs=1e-13)
    (temperature,) = (stage for stage in filtered.stages if stage.name == "temperature")
    likeliest = temperature.scores_before.argmax()
    assert filtered.probabilities[likeliest] == filtered.probabilities.max() > 0


@pytest.mark.parametrize("sampling", [Sampling(), *SETTINGS.values()])
def test_a_vocabulary_of_one_token_leaves_no_choice(sampling):
    for seen in ([], [0]):
        filtered = sampling.filter([-3.5], seen=seen)
        assert filtered.probabilities.tolist() == [1]
        assert pick(filtered.probabilities, 0.99) == 0


def test_what_a_stage_holds_cannot_be_changed():
    filtered = filtered_by(SETTINGS["all of them"])
    scores = (stage.scores_after for stage in filtered.stages)
    for values in (filtered.unfiltered, *(stage.after for stage in filtered.stages), *scores):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 0.5


def test_float32_logits_are_filtered_as_the_float64_they_stand_for():
    narrow = np.array(LOGITS, dtype=np.float32) * np.float32(1.1)
    sampling = SETTINGS["all of them"]
    wide = sampling.filter(narrow.astype(np.float64))
    np.testing.assert_array_equal(sampling.filter(narrow).probabilities, wide.probabilities)


# Settings and logits that cannot be used


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"temperature": -0.1}, "temperature=-0.1"),
        ({"temperature": math.nan}, "temperature=nan"),
        ({"temperature": math.inf}, "temperature=inf"),
        ({"temperature": "hot"}, "temperature='hot'"),
        ({"top_k": 0}, "top_k=0"),
        ({"top_k": -3}, "top_k=-3"),
        ({"top_k": 2.5}, "top_k=2.5"),
        ({"top_k": True}, "top_k=True"),
        ({"top_p": 0}, "top_p=0"),
        ({"top_p": 1.01}, r"top_p=1\.01"),
        ({"top_p": math.nan}, "top_p=nan"),
        ({"min_p": -0.1}, r"min_p=-0\.1"),
        ({"min_p": 1.01}, r"min_p=1\.01"),
        ({"min_p": math.nan}, "min_p=nan"),
        ({"repetition_penalty": 0}, "repetition_penalty=0"),
        ({"repetition_penalty": -1.2}, r"repetition_penalty=-1\.2"),
        ({"repetition_penalty": math.inf}, "repetition_penalty=inf"),
    ],
)
def test_a_setting_that_means_nothing_is_refused_by_name(settings, named):
    with pytest.raises(PellucidError, match=f"^{named} is not possible: give .*$"):
        Sampling(**settings)


def test_numbers_of_numpy_are_numbers():
    numbers: dict[str, Any] = {"temperature": np.float32(0.5), "top_k": np.int64(3)}
    assert Sampling(**numbers) == Sampling(temperature=0.5, top_k=3)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, Sampling(temperature=0.0)),
        ({"top_k": 5}, Sampling(temperature=1.0, top_k=5)),
        ({"top_p": 0.9}, Sampling(temperature=1.0, top_p=0.9)),
        ({"temperature": 0.7}, Sampling(temperature=0.7)),
        ({"temperature": 0, "top_k": 5}, Sampling(temperature=0, top_k=5)),
        ({"temperature": 0.7, "top_k": 5}, Sampling(temperature=0.7, top_k=5)),
    ],
)
def test_greedy_unless_an_option_asks_for_sampling(options, expected):
    assert Sampling.from_options(**options) == expected


def test_a_top_k_above_the_vocabulary_is_said_where_it_matters():
    assert Sampling(temperature=1.0, top_k=24).notices(24) == ()
    assert Sampling(top_k=25).notices(24) == ()
    (notice,) = Sampling(temperature=1.0, top_k=25).notices(24)
    assert "top_k=25" in notice
    assert "24 tokens" in notice


@pytest.mark.parametrize(
    ("logits", "words"),
    [
        ([0.0, math.nan, 1.0], r"1 of the 3 logits at position 6 are NaN .* is nan for id 1"),
        ([math.nan] * 3, "3 of the 3 logits at position 6"),
        ([0.0, 1.0, math.inf], "at position 6 are NaN or .* is inf for id 2"),
        ([-math.inf, math.nan], "is nan for id 1"),
        ([-math.inf] * 4, "at position 6 are −inf for all 4 tokens"),
        ([], r"shape \(0,\)"),
        ([[0.0, 1.0]], r"at position 6 have shape \(1, 2\)"),
    ],
)
@pytest.mark.parametrize(
    "sampling", [Sampling(), SETTINGS["all of them"]], ids=["greedy", "sampled"]
)
def test_logits_that_are_no_distribution_are_refused(sampling, logits, words):
    with pytest.raises(PellucidError, match=words):
        sampling.filter(logits, position=6)
