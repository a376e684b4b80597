"""A reader with a cache gives what reading whole windows gives, and reads less."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.generation.continuation import Continuation
from pellucid.generation.loop import generate
from pellucid.generation.reader import CachedReader, padded
from pellucid.generation.sampling import Sampling
from tests.engine.small_engines import build
from tests.small_models import OPTIONS, SMALL

VOCAB, BLOCK = SMALL.vocab_size, SMALL.block_size
PROMPTS = [[1], [4, 2, 7], [5, 5, 5, 5, 5, 5, 5, 5], [3, 9, 1, 0, 2], [1]]
WARM = Sampling(temperature=1.5)


def anew(engine):
    """Reads each window as a whole, by itself."""

    def read(windows):
        return {
            n: engine.forward({"ids": np.array([w])})["logits"][0, -1] for n, w in windows.items()
        }

    return read


def watched(engine, monkeypatch):
    """How many ids each run of the engine reads, as `[text, position]`, from now on."""
    shapes, forward = [], engine.forward

    def watching(inputs, **options):
        shapes.append(inputs["ids"].shape)
        return forward(inputs, **options)

    monkeypatch.setattr(engine, "forward", watching)
    return shapes


def steps_of(read, prompts, *, sampling=WARM, max_new_tokens=12, **options):
    texts = [Continuation(ids, number=n, seed=n) for n, ids in enumerate(prompts)]
    settings = {"block_size": BLOCK, "max_new_tokens": max_new_tokens, "sampling": sampling}
    return list(generate(read, texts, **settings, **options))


def choices(steps):
    return [(step.sample, step.ids, step.id) for step in steps]


@pytest.mark.parametrize("sampling", [Sampling(), WARM], ids=["greedy", "drawn"])
@pytest.mark.parametrize("option", OPTIONS)
def test_cached_and_batched_is_uncached_and_alone_also_past_the_window(option, sampling):
    engine = build(option)
    cached = steps_of(CachedReader(engine, n_tokens=VOCAB), PROMPTS, sampling=sampling)
    plain = steps_of(anew(engine), PROMPTS, sampling=sampling)
    assert choices(cached) == choices(plain)
    assert sum(step.dropped > 0 for step in cached) > len(PROMPTS)
    for ours, theirs in zip(cached, plain, strict=True):
        np.testing.assert_allclose(ours.logits, theirs.logits, rtol=1e-12, atol=1e-12)


def test_in_float32_the_same_ids_wherever_the_margin_is_clear():
    engine = build(dtype="float32")
    for seed in range(20):
        prompts = np.random.default_rng(seed).integers(0, VOCAB, (3, 2)).tolist()
        cached = steps_of(CachedReader(engine, n_tokens=VOCAB), prompts, sampling=Sampling())
        for step in cached:
            alone = engine.forward({"ids": np.array([step.ids])})["logits"][0, -1]
            best, second = np.sort(alone)[:-3:-1]
            assert step.id == alone.argmax() or best - second <= 1e-4


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, VOCAB - 1), min_size=1, max_size=9), min_size=1, max_size=4),
    st.sets(st.integers(0, VOCAB - 1), max_size=3),
)
def test_whatever_the_prompts_and_wherever_they_end(prompts, stop_ids):
    engine = build("grouped heads")
    reader = CachedReader(engine, n_tokens=VOCAB)
    cached = steps_of(reader, prompts, stop_ids=stop_ids)
    assert choices(cached) == choices(steps_of(anew(engine), prompts, stop_ids=stop_ids))


def test_after_the_prompt_one_position_a_step_is_worked_out(engine, monkeypatch):
    shapes = watched(engine, monkeypatch)
    steps_of(CachedReader(engine, n_tokens=VOCAB), [[1, 2], [3, 4]], max_new_tokens=5)
    assert shapes == [(2, 2), (2, 1), (2, 1), (2, 1), (2, 1)]


def test_once_the_window_slides_every_step_reads_all_of_it(engine, monkeypatch):
    shapes = watched(engine, monkeypatch)
    steps_of(CachedReader(engine, n_tokens=VOCAB), [[1, 2, 3, 4, 5]], max_new_tokens=5)
    assert shapes == [(1, 5), (1, 1), (1, 6), (1, 6), (1, 6)]


def test_texts_that_slide_do_not_slow_those_that_grow(engine, monkeypatch):
    shapes = watched(engine, monkeypatch)
    steps_of(CachedReader(engine, n_tokens=VOCAB), [[1], [1, 2, 3, 4, 5, 6]], max_new_tokens=3)
    assert shapes == [(2, 6), (1, 1), (1, 6), (1, 1), (1, 6)]


def test_samples_of_one_prompt_read_it_once(engine, monkeypatch):
    shapes = watched(engine, monkeypatch)
    prompts = [[1, 2], [1, 2], [7, 8], [1, 2]]
    steps = steps_of(CachedReader(engine, n_tokens=VOCAB), prompts, max_new_tokens=3)
    assert shapes == [(2, 2), (4, 1), (4, 1)]
    assert choices(steps) == choices(steps_of(anew(engine), prompts, max_new_tokens=3))
    assert len({step.id for step in steps}) > 2


def test_texts_that_have_ended_leave_the_cache(engine, monkeypatch):
    shapes = watched(engine, monkeypatch)
    reader = CachedReader(engine, n_tokens=VOCAB)
    reader({0: [1, 2], 1: [3], 2: [4, 5, 6]})
    found = reader({2: [4, 5, 6, 7]})
    assert shapes[-1] == (1, 1)
    np.testing.assert_allclose(found[2], anew(engine)({2: [4, 5, 6, 7]})[2], rtol=1e-12)
    assert reader.cache is not None
    assert reader.cache.lengths.tolist() == [4]


def test_a_window_that_is_another_one_is_read_anew(engine):
    reader = CachedReader(engine, n_tokens=VOCAB)
    reader({0: [1, 2, 3]})
    for window in ([9, 2, 3, 4], [1, 2, 3], [1, 2], [1, 2, 3, 4, 5]):
        found = reader({0: window})[0]
        np.testing.assert_allclose(found, anew(engine)({0: window})[0], rtol=1e-12, atol=1e-12)


def test_rows_that_are_no_tokens_have_no_chance(engine):
    reader = CachedReader(engine, n_tokens=8)
    for window in ([1], [1, 2], [5, 6, 7]):
        logits = reader({0: window})[0]
        assert np.isfinite(logits).tolist() == [True] * 8 + [False] * 3


def test_shorter_windows_are_filled_up_at_the_right():
    ids, lengths = padded([[5], [6, 7, 8], [9, 4]])
    assert ids.tolist() == [[5, 0, 0], [6, 7, 8], [9, 4, 0]]
    assert lengths.tolist() == [1, 3, 2]
