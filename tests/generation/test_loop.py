"""Truths about the decoding loop, on models small enough to be read off a table."""

from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.generation.loop import generate, step_generator
from pellucid.generation.sampling import Sampling, draw

VOCAB = 24
END = 2
# A bigram model: the logits of the next id for each last id.
BIGRAM = np.random.default_rng(0).standard_normal((VOCAB, VOCAB)).astype(np.float32)
WARM = Sampling(temperature=1.0)


def bigram(window):
    return BIGRAM[window[-1]]


def whole_window(window):
    """Logits that depend on every id of the window and on where it stands."""
    places = np.arange(1, len(window) + 1)
    return np.sin(np.outer(np.arange(VOCAB), np.array(window) * places)).sum(axis=1)


def run(model=bigram, ids=(1,), **options):
    settings = {"block_size": 6, "max_new_tokens": 20, "sampling": Sampling(), **options}
    return list(generate(model, ids, **settings))


def ids_of(steps):
    return [step.id for step in steps]


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

    steps = generate(model, [1], block_size=6, max_new_tokens=20, sampling=WARM)
    assert asked == []
    list(islice(steps, 3))
    assert len(asked) == 3


# What the seed decides


def test_the_same_seed_gives_the_same_ids_and_another_seed_others():
    assert ids_of(run(sampling=WARM, seed=3)) == ids_of(run(sampling=WARM, seed=3))
    assert ids_of(run(sampling=WARM, seed=3)) != ids_of(run(sampling=WARM, seed=4))


def test_each_draw_can_be_repeated_without_those_before_it():
    for number, step in reversed(list(enumerate(run(sampling=WARM, seed=11)))):
        assert draw(step.filtered, step_generator(11, number)) == step.id


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
        ({"ids": []}, "no ids to continue: give at least a start token"),
        ({"ids": np.array([], dtype=np.int64)}, "no ids to continue"),
        ({"block_size": 0}, "block_size=0"),
        ({"max_new_tokens": -1}, "max_new_tokens=-1 is negative"),
        ({"seed": -1}, "seed=-1 is negative"),
    ],
)
def test_arguments_are_refused_before_the_first_step(options, words):
    settings = {"block_size": 6, "max_new_tokens": 20, "sampling": Sampling(), **options}
    ids = settings.pop("ids", [1])
    with pytest.raises(PellucidError, match=words):
        generate(bigram, ids, **settings)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_logits_that_fail_on_the_way_name_the_position_and_keep_the_steps_before(bad):
    def failing(window):
        return np.full(VOCAB, bad) if len(window) == 4 else bigram(window)

    steps = generate(failing, [1], block_size=6, max_new_tokens=20, sampling=WARM)
    assert len(list(islice(steps, 3))) == 3
    with pytest.raises(PellucidError, match="24 of the 24 logits at position 3"):
        next(steps)
