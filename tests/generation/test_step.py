"""Truths about the record that one step leaves."""

import dataclasses
import math

import numpy as np
import pytest

from pellucid.generation.sampling import Sampling
from tests.generation.small_generations import run


def only_step(logits, **options):
    """Return the one step that reads these logits after the id 1."""
    (step,) = run(lambda window: np.array(logits), max_new_tokens=1, **options)
    return step


def test_the_five_best_come_with_label_logit_and_probability():
    logits = [0.5, 3.0, 1.0, 3.0, -2.0, 1.0, 2.0]
    step = only_step(logits, label="abcdefg".__getitem__)
    assert [candidate.id for candidate in step.top] == [1, 3, 6, 2, 5]
    assert [candidate.token for candidate in step.top] == ["b", "d", "g", "c", "f"]
    for candidate in step.top:
        assert candidate.logit == logits[candidate.id]
        share = math.exp(candidate.logit) / math.fsum(map(math.exp, logits))
        assert candidate.probability == pytest.approx(share, rel=1e-13)


def test_the_best_are_the_model_s_whatever_the_filters_make_of_them():
    logits = [0.5, 3.0, 1.0, 2.5, -2.0, 1.0, 2.0]
    filtered = only_step(logits, sampling=Sampling(temperature=3.0, top_k=2, top_p=0.5))
    assert filtered.top == only_step(logits).top == only_step(logits, never={1, 3}).top


def test_any_token_can_be_asked_about():
    step = only_step([0.5, 3.0, 1.0, 3.0, -2.0, 1.0, 2.0], label="abcdefg".__getitem__)
    assert step.candidate(1) == step.top[0]
    assert (step.candidate(4).token, step.candidate(4).logit) == ("e", -2.0)


def test_fewer_than_five_where_fewer_can_follow():
    assert [candidate.id for candidate in only_step([2.0, -math.inf, 5.0]).top] == [2, 0]
    assert [candidate.id for candidate in only_step([7.0]).top] == [0]


def test_probability_is_the_model_s_and_the_draw_s_stands_beside_it():
    logits = np.log([0.5, 0.3, 0.2])
    greedy = only_step(logits)
    assert (greedy.id, greedy.probability) == (0, pytest.approx(0.5))
    assert greedy.filtered.probabilities[0] == 1

    sampled = only_step(logits, sampling=Sampling(temperature=1.0, top_k=2), seed=1)
    assert sampled.probability == pytest.approx([0.5, 0.3][sampled.id])
    assert sampled.filtered.probabilities[sampled.id] == pytest.approx([0.625, 0.375][sampled.id])


def test_a_step_stays_as_it_was_when_the_model_reuses_its_array():
    shared = np.zeros(3)

    def reusing(window):
        shared[:] = 0
        shared[len(window) % 3] = 1
        return shared

    steps = run(reusing, [0], max_new_tokens=3)
    assert [step.logits.argmax() for step in steps] == [step.id for step in steps] == [1, 2, 0]
    with pytest.raises(ValueError, match="read-only"):
        steps[0].logits[0] = 5
    with pytest.raises(dataclasses.FrozenInstanceError):
        steps[0].id = 5


def test_a_step_prints_as_one_line_without_its_arrays():
    text = repr(only_step(np.zeros(1000)))
    assert "\n" not in text
    assert "array" not in text
    assert "position=0" in text
