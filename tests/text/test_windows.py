"""Which windows a step sees follows from (seed, step), and an epoch sees each once."""

from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.text.batches import NO_TARGET, packed_windows
from pellucid.text.windows import Windows, split, windows_in_order

spares = st.integers(1, 280)
sizes = st.integers(1, 20)
seeds = st.integers(0, 2**32)


def make(spare, block_size, batch_size=3, seed=0):
    """Return the windows of a text that is `spare` ids longer than its first window's contexts."""
    # Every id is its own place, so that a window says where it comes from.
    ids = np.arange(block_size + spare, dtype=np.uint16)
    return Windows(ids, block_size=block_size, batch_size=batch_size, seed=seed)


# What is in a window


@given(spares, sizes, sizes, seeds, st.integers(0, 10**9))
def test_a_batch_has_contexts_and_the_ids_that_follow(spare, block, batch, seed, step):
    contexts, targets = make(spare, block, batch, seed).batch(step)
    assert contexts.shape == targets.shape == (batch, block)
    assert contexts.dtype == targets.dtype == np.int64
    assert np.array_equal(targets, contexts + 1)
    assert np.array_equal(np.diff(contexts, axis=1), np.ones((batch, block - 1)))
    assert contexts.min() >= 0
    assert targets.max() < block + spare


# Epochs


@given(spares, sizes, seeds, st.integers(0, 50))
def test_an_epoch_sees_each_window_once_end_to_end(spare, block, seed, epoch):
    windows = make(spare, block, seed=seed)
    n = windows.per_epoch
    starts = np.sort(windows.starts(np.arange(epoch * n, (epoch + 1) * n)))
    assert np.array_equal(np.diff(starts), np.full(n - 1, block))
    left_over = starts[0] + (block + spare - 1) - (starts[-1] + block)
    assert left_over < 2 * block


@given(st.integers(1, 40), st.integers(1, 6))
def test_every_id_is_a_target_in_some_epoch(spare, block):
    windows = make(spare, block)
    samples = np.arange(100 * windows.per_epoch)
    _, targets = windows.windows(samples)
    assert set(targets.ravel().tolist()) == set(range(1, block + spare))


def test_epochs_begin_at_places_and_in_orders_of_their_own():
    windows = make(1000, 10)
    n = windows.per_epoch
    epochs = [windows.starts(np.arange(e * n, (e + 1) * n)) for e in range(40)]
    assert {int(starts.min()) % 10 for starts in epochs} == set(range(10))
    assert len({tuple(np.argsort(starts)) for starts in epochs}) == 40


# What an order follows from


@given(spares, sizes, sizes, seeds, st.lists(st.integers(0, 10**6), max_size=5))
def test_a_step_is_the_same_whatever_came_before(spare, block, batch, seed, steps):
    used = make(spare, block, batch, seed)
    for step in steps:
        fresh = make(spare, block, batch, seed)
        assert np.array_equal(used.batch(step), fresh.batch(step))


@given(spares, sizes, st.integers(1, 12), seeds, st.integers(0, 1000), st.integers(1, 5))
def test_a_step_is_the_same_taken_at_once_or_part_by_part(spare, block, batch, seed, step, part):
    windows = make(spare, block, batch, seed)
    samples = windows.samples(step)
    assert samples.tolist() == list(range(step * batch, (step + 1) * batch))
    parts = [windows.windows(samples[i : i + part])[0] for i in range(0, batch, part)]
    assert np.array_equal(np.concatenate(parts), windows.batch(step)[0])


@given(spares, sizes, seeds)
def test_the_sequence_of_samples_does_not_depend_on_the_batch_size(spare, block, seed):
    six, four = (make(spare, block, batch, seed) for batch in (6, 4))
    seen = [np.concatenate([w.batch(s)[0] for s in range(n)]) for w, n in ((six, 2), (four, 3))]
    assert np.array_equal(seen[0], seen[1])


def test_seeds_have_orders_of_their_own():
    seen = {make(1000, 10, 8, seed).batch(0)[0].tobytes() for seed in range(50)}
    assert len(seen) == 50


# In order


@given(spares, sizes, sizes)
def test_windows_in_order_hold_every_target_once(spare, block, batch):
    ids = np.arange(block + spare, dtype=np.uint16)
    batches = list(windows_in_order(ids, block_size=block, batch_size=batch))
    contexts, targets = (np.concatenate(arrays) for arrays in zip(*batches, strict=True))
    assert targets[targets != NO_TARGET].tolist() == list(range(1, block + spare))
    assert np.array_equal((contexts, targets), packed_windows(ids, block_size=block))
    assert len(batches) == ceil(len(contexts) / batch)
    assert all(len(contexts) == batch for contexts, _ in batches[:-1])


# Training and validation


@given(st.integers(4, 10_000), st.floats(0, 0.5))
def test_a_split_leaves_nothing_out(length, share):
    ids = np.arange(length)
    train, validation = split(ids, share)
    assert np.array_equal(np.concatenate([train, validation]), ids)
    if share:
        assert len(validation) == max(2, round(share * length))
    else:
        assert len(validation) == 0


@given(st.integers(1, 50), st.integers(0, 100))
def test_both_parts_fill_a_window_or_the_text_is_too_short(block, more):
    ids = np.arange(2 * (block + 1) + more)
    for part in split(ids, 0.01, block_size=block):
        Windows(part, block_size=block, batch_size=1, seed=0)
    with pytest.raises(PellucidError, match=f"one window of block_size={block} takes {block + 1}"):
        split(ids[: 2 * block + 1], 0.01, block_size=block)


def test_a_text_that_is_too_short_to_split_is_said_with_all_lengths():
    with pytest.raises(PellucidError) as caught:
        split(np.arange(100), block_size=64)
    assert str(caught.value) == (
        "The text has 100 tokens; 65 of them to validate with leave 35, and one window of "
        "block_size=64 takes 65. Give a longer text, a smaller block_size, or validation=0."
    )
    assert len(split(np.arange(100), 0, block_size=64)[0]) == 100


@pytest.mark.parametrize("share", [-0.1, 1, 1.5, float("nan")])
def test_a_share_is_below_one(share):
    with pytest.raises(PellucidError, match="must be a share"):
        split(np.arange(100), share)


# What is refused


def test_a_text_shorter_than_a_window_is_said_with_both_lengths():
    ids = np.arange(64)
    message = r"^The text has 64 tokens, and one window of block_size=64 takes 65\. Give a longer"
    for take in (
        lambda: Windows(ids, block_size=64, batch_size=1, seed=0),
        lambda: next(windows_in_order(ids, block_size=64, batch_size=1)),
        lambda: split(ids, block_size=64),
        lambda: split(ids, 0, block_size=64),
    ):
        with pytest.raises(PellucidError, match=message):
            take()


def test_a_text_of_exactly_one_window_is_enough():
    contexts, targets = make(1, 64).batch(7)
    assert np.array_equal(contexts, np.tile(np.arange(64), (3, 1)))
    assert np.array_equal(targets, contexts + 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"block_size": 0}, "block_size=0"),
        ({"batch_size": 0}, "batch_size=0 must be at least 1"),
        ({"seed": -1}, "seed=-1 must be at least 0"),
    ],
)
def test_sizes_that_cannot_be_are_refused(options, message):
    with pytest.raises(PellucidError, match=message):
        Windows(np.arange(9), **({"block_size": 2, "batch_size": 2, "seed": 0} | options))


def test_steps_count_from_zero():
    with pytest.raises(PellucidError, match="step=-1 must be at least 0"):
        make(1, 64).batch(-1)
