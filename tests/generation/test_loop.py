"""Truths about the decoding loop, on models small enough to be read off a table."""

from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.generation.continuation import Continuation
from pellucid.generation.loop import step_generator
from pellucid.generation.sampling import Sampling, pick
from tests.generation.small_generations import (
    BIGRAM,
    VOCAB,
    bigram,
    ids_of,
    run,
    steps_of,
    whole_window,
)

END = 2
WARM = Sampling(temperature=1.0)


# What the loop feeds and chooses


def test_greedy_takes_the_best_id_each_time():
    steps = run()
    assert len(steps) == 20
    for before, after in pairwise(ids_of(steps)):
        assert after == BIGRAM[before].argmax()


def test_greedy_takes_the_lowest_id_of_a_tie():
    assert run(lambda window: np.array([0.0, 1.0, 1.0, 1.0]), max_new_tokens=1)[0].id == 1


@given(st.lists(st.integers(0, VOCAB - 1), min_size=1, max_size=12), st.integers(1, 9))
def test_the_window_is_the_last_ids_that_fit(ids, block_size):
    seen = []

    def model(window):
        seen.append(window)
        return whole_window(window)

    steps = run(model, ids, block_size=block_size, max_new_tokens=8)
    text = list(ids)
    for step, window in zip(steps, seen, strict=True):
        assert list(step.ids) == window == text[-block_size:]
        assert step.position == len(window) - 1
        assert step.dropped == len(text) - len(window)
        assert step.id == whole_window(text[-block_size:]).argmax()
        text.append(step.id)


def test_rows_of_the_vocabulary_that_are_no_tokens_are_never_chosen_nor_named():
    def padded(window):
        return np.concatenate([bigram(window), np.full(8, -np.inf)])

    def label(i):
        assert i < VOCAB
        return str(i)

    flat = Sampling(temperature=1e6)
    steps = run(padded, sampling=flat, max_new_tokens=500, label=label)
    assert set(ids_of(steps)) == set(range(VOCAB))


def test_what_must_never_be_chosen_is_removed_and_said_so():
    flat = Sampling(temperature=1e6)
    steps = run(sampling=flat, max_new_tokens=500, never={0, 1, 5})
    assert set(ids_of(steps)) == set(range(VOCAB)) - {0, 1, 5}
    for step in steps:
        assert step.filtered.stages[0].removed.tolist() == [0, 1, 5]
        assert np.isfinite(step.logits).all()  # They are the model's own.
    assert run(ids=[BIGRAM[:, 3].argmax()], never={3}, max_new_tokens=1)[0].id != 3


def test_what_the_text_has_counts_for_the_penalty_and_not_what_the_window_has():
    def constant(window):
        return np.linspace(1, 2, VOCAB)

    steps = run(constant, block_size=2, sampling=Sampling(repetition_penalty=3), ids=[20, 20, 20])
    # Each token is taken once, likeliest first; the one that was there from the beginning is not.
    assert ids_of(steps) == [23, 22, 21, 19, 18, *range(17, 2, -1)]


# Several texts


def test_texts_side_by_side_are_the_texts_alone():
    prompts = [[1], [4, 5, 6, 7, 8], [3, 3], [1]]
    texts = [Continuation(ids, number=n, seed=n) for n, ids in enumerate(prompts)]
    steps = list(steps_of(whole_window, *texts, sampling=WARM, stop_ids={END, 9}))
    for text in texts:
        alone = run(whole_window, text.prompt_ids, seed=text.seed, sampling=WARM, stop_ids={END, 9})
        mine = [step for step in steps if step.sample == text.number]
        assert ids_of(mine) == text.new_ids == ids_of(alone)
        assert [step.ids for step in mine] == [step.ids for step in alone]
        assert text.stopped == mine[-1].stopped == alone[-1].stopped
    assert len({len(text.new_ids) for text in texts}) > 1


def test_texts_take_turns_and_those_that_have_ended_are_read_no_more():
    asked = []

    def model(window):
        asked.append(window[0])
        return np.eye(VOCAB)[END if window[0] == 1 and len(window) == 3 else 4]

    texts = [Continuation([1], number=0), Continuation([8], number=1)]
    steps = list(steps_of(model, *texts, stop_ids={END}, max_new_tokens=5))
    assert [step.sample for step in steps] == [0, 1, 0, 1, 0, 1, 1, 1]
    assert asked == [1, 8, 1, 8, 1, 8, 8, 8]


# Where it ends


def test_it_ends_with_the_stop_id_and_yields_it():
    steps = run(sampling=WARM, stop_ids={END}, max_new_tokens=1000, seed=4)
    assert len(steps) < 1000
    assert ids_of(steps).index(END) == len(steps) - 1
    assert [step.stopped for step in steps] == [None] * (len(steps) - 1) + ["end token"]


def test_it_ends_with_the_length():
    steps = run(max_new_tokens=7)
    assert [step.stopped for step in steps] == [None] * 6 + ["length"]


def test_a_stop_id_in_the_last_place_is_why_it_ended():
    (step,) = run(lambda window: np.eye(VOCAB)[END], max_new_tokens=1, stop_ids={END})
    assert step.stopped == "end token"


def test_a_stop_id_in_the_prompt_stops_nothing():
    assert len(run(ids=[1, END], max_new_tokens=3)) == 3


def test_no_new_tokens_asks_the_model_nothing():
    def unasked(window):
        raise AssertionError("the model was asked")

    assert run(unasked, max_new_tokens=0) == []


def test_a_step_is_made_when_it_is_asked_for():
    asked = []

    def model(window):
        asked.append(window)
        return bigram(window)

    steps = steps_of(model, Continuation([1]), sampling=WARM)
    assert asked == []
    list(islice(steps, 3))
    assert len(asked) == 3


# What the seed decides


def test_the_same_seed_gives_the_same_ids_and_another_seed_others():
    assert ids_of(run(sampling=WARM, seed=3)) == ids_of(run(sampling=WARM, seed=3))
    assert ids_of(run(sampling=WARM, seed=3)) != ids_of(run(sampling=WARM, seed=4))


def test_each_draw_can_be_repeated_without_those_before_it():
    for number, step in reversed(list(enumerate(run(sampling=WARM, seed=11)))):
        assert step.number == number
        assert step.uniform == step_generator(11, number).random()
        assert step.id == pick(step.filtered.probabilities, step.uniform)


def test_a_greedy_choice_draws_nothing():
    assert {step.uniform for step in run()} == {None}


def test_the_text_and_the_length_asked_for_change_no_draw():
    def constant(window):
        return BIGRAM[0]

    ids = ids_of(run(constant, sampling=WARM, seed=5))
    assert ids_of(run(constant, ids=[9, 8, 7], sampling=WARM, seed=5)) == ids
    assert ids_of(run(constant, sampling=WARM, seed=5, max_new_tokens=9)) == ids[:9]
    assert len(set(ids)) > 5


@given(st.integers(0, 2**70), st.integers(0, 1000))
@example(5, 1)
def test_seed_and_number_do_not_run_into_each_other(seed, number):
    first = step_generator(seed, number).random(4).tolist()
    assert first == step_generator(seed, number).random(4).tolist()
    others = [(seed, number + 1), (seed + 1, number), (seed + 2**32, number), (number, seed)]
    if number:
        others += [(seed + 1, number - 1), (seed + 2**32, number - 1)]
    for other in others:
        if other != (seed, number):
            assert first != step_generator(*other).random(4).tolist()


# What cannot be used


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"block_size": 0}, "block_size=0"),
        ({"max_new_tokens": -1}, "max_new_tokens=-1 is not possible"),
    ],
)
def test_arguments_are_refused_before_the_first_step(options, words):
    with pytest.raises(PellucidError, match=words):
        steps_of(bigram, Continuation([1]), **options)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_logits_that_fail_on_the_way_name_the_position_and_keep_the_steps_before(bad):
    def failing(window):
        return np.full(VOCAB, bad) if len(window) == 4 else bigram(window)

    steps = steps_of(failing, Continuation([1]), sampling=WARM)
    assert len(list(islice(steps, 3))) == 3
    with pytest.raises(PellucidError, match="24 of the 24 logits at position 3"):
        next(steps)
