"""Every prediction is there once, padding is marked, and the order depends on (seed, step)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.text.batches import Order, packed_windows, training_pairs, whole_sentences
from pellucid.text.corpora import GROOT
from pellucid.text.tokenizer import Tokenizer

PAD = 0
ids = st.integers(0, 30)
corpora = st.lists(st.lists(ids, min_size=2, max_size=9), min_size=1, max_size=9)


@pytest.fixture(scope="module")
def groot():
    return Tokenizer.words(GROOT).sequences(GROOT)


def assert_ready_to_train(*arrays):
    for array in arrays:
        assert array.dtype == np.int64
        assert not array.flags.writeable


# Training pairs


def test_groot_makes_76_pairs_of_up_to_four_ids(groot):
    pairs = training_pairs(groot, pad_id=PAD)
    assert len(pairs) == 76
    assert pairs.contexts.shape == (76, 4)
    # <START> i am groot <END>
    assert pairs.contexts[:4].tolist() == [
        [1, 0, 0, 0],
        [1, 11, 0, 0],
        [1, 11, 3, 0],
        [1, 11, 3, 8],
    ]
    assert pairs.targets[:4].tolist() == [11, 3, 8, 2]
    assert pairs.lengths[:4].tolist() == [1, 2, 3, 4]


@given(corpora)
def test_every_prefix_is_a_context_and_the_next_id_its_target(sequences):
    pairs = training_pairs(sequences, pad_id=PAD)
    prefixes = [(s[:n], s[n]) for s in sequences for n in range(1, len(s))]
    width = max(map(len, sequences)) - 1
    assert pairs.contexts.tolist() == [c + [PAD] * (width - len(c)) for c, _ in prefixes]
    assert pairs.targets.tolist() == [target for _, target in prefixes]
    assert pairs.lengths.tolist() == [len(context) for context, _ in prefixes]
    assert_ready_to_train(pairs.contexts, pairs.targets, pairs.lengths)


# Whole sentences


@given(corpora)
def test_whole_sentences_hold_the_predictions_of_the_pairs(sequences):
    pairs = training_pairs(sequences, pad_id=PAD)
    contexts, targets = whole_sentences(sequences, pad_id=PAD)
    sentence, position = np.nonzero(targets != -1)
    assert targets[sentence, position].tolist() == pairs.targets.tolist()
    assert (position + 1).tolist() == pairs.lengths.tolist()
    for row, n, pair in zip(sentence, pairs.lengths, pairs.contexts, strict=True):
        assert contexts[row, :n].tolist() == pair[:n].tolist()
    assert_ready_to_train(contexts, targets)


@given(corpora)
def test_where_there_is_no_target_there_is_padding(sequences):
    contexts, targets = whole_sentences(sequences, pad_id=31)
    assert contexts.shape == targets.shape
    assert np.array_equal(contexts == 31, targets == -1)


@pytest.mark.parametrize("lay_out", [training_pairs, whole_sentences])
def test_a_sentence_needs_a_context_and_a_target(lay_out):
    with pytest.raises(PellucidError, match=r"^Sentence 2 has 1 ids; .* at least 2"):
        lay_out([[1, 2], [1]], pad_id=PAD)
    with pytest.raises(PellucidError, match="no sentences"):
        lay_out([], pad_id=PAD)


@pytest.mark.parametrize("lay_out", [training_pairs, whole_sentences])
def test_a_sentence_of_one_word_will_do(lay_out):
    sequences = Tokenizer.words(["groot"]).sequences(["groot"])
    laid_out = lay_out(sequences, pad_id=PAD)
    targets = laid_out.targets if lay_out is training_pairs else laid_out[1]
    assert targets.ravel().tolist() == [3, 2]


# Packed windows


def runs_and_block_sizes():
    return st.integers(1, 12).flatmap(
        lambda block: st.tuples(st.lists(ids, min_size=block + 1, max_size=60), st.just(block))
    )


@given(runs_and_block_sizes())
def test_every_id_but_the_first_is_a_target_once(run_and_block):
    run, block = run_and_block
    contexts, targets = packed_windows(run, block_size=block)
    assert contexts.shape == targets.shape == (-(-(len(run) - 1) // block), block)
    assert targets[targets != -1].tolist() == run[1:]
    assert_ready_to_train(contexts, targets)


@given(runs_and_block_sizes())
def test_a_window_is_a_stretch_of_the_run_and_its_targets_come_next(run_and_block):
    run, block = run_and_block
    for context, target in zip(*packed_windows(run, block_size=block), strict=True):
        starts = [i for i in range(len(run) - block) if run[i : i + block] == context.tolist()]
        assert any(
            all(t in (-1, following) for t, following in zip(target, run[i + 1 :], strict=False))
            for i in starts
        )


def test_the_last_window_is_full_and_repeats_no_target():
    contexts, targets = packed_windows([0, 1, 2, 3, 4, 5, 6], block_size=4)
    assert contexts.tolist() == [[0, 1, 2, 3], [2, 3, 4, 5]]
    assert targets.tolist() == [[1, 2, 3, 4], [-1, -1, 5, 6]]


@pytest.mark.parametrize("n", range(5))
def test_a_run_that_does_not_fill_a_window_is_refused_with_the_lengths(n):
    with pytest.raises(PellucidError, match=f"has {n} ids, .* block_size=4 takes 5"):
        packed_windows(list(range(n)), block_size=4)


def test_a_window_holds_something():
    with pytest.raises(PellucidError, match="block_size=0"):
        packed_windows([1, 2, 3], block_size=0)


# Order


sizes = st.tuples(st.integers(1, 40), st.integers(1, 50))
seeds = st.integers(0, 2**64)


@given(sizes, seeds, st.integers(0, 10**9))
def test_an_epoch_sees_every_example_once(size, seed, epoch):
    n, batch_size = size
    order = Order(n, batch_size=batch_size, seed=seed)
    first = epoch * order.batches_per_epoch
    batches = [order.indices(first + i) for i in range(order.batches_per_epoch)]
    assert sorted(np.concatenate(batches)) == list(range(n))
    assert [len(batch) for batch in batches[:-1]] == [batch_size] * (len(batches) - 1)
    assert 1 <= len(batches[-1]) <= batch_size
    assert_ready_to_train(*batches)


@given(sizes, seeds, st.lists(st.integers(0, 200), min_size=1))
def test_a_step_is_the_same_whatever_was_asked_before(size, seed, steps):
    n, batch_size = size
    order = Order(n, batch_size=batch_size, seed=seed)
    for step in steps:
        alone = Order(n, batch_size=batch_size, seed=seed).indices(step)
        assert order.indices(step).tolist() == alone.tolist()


def test_the_batch_size_cuts_the_same_order():
    small, large = (Order(76, batch_size=size, seed=7) for size in (16, 76))
    epoch_3 = [small.indices(3 * small.batches_per_epoch + i) for i in range(5)]
    assert np.concatenate(epoch_3).tolist() == large.indices(3).tolist()


def test_seeds_and_epochs_have_orders_of_their_own():
    orders = {
        tuple(Order(76, batch_size=76, seed=seed).indices(epoch))
        for seed in range(20)
        for epoch in range(20)
    }
    assert len(orders) == 400


def test_every_example_comes_to_every_place():
    order = Order(6, batch_size=6, seed=0)
    epochs = np.stack([order.indices(epoch) for epoch in range(200)])
    assert all(set(epochs[:, place]) == set(range(6)) for place in range(6))


def test_76_pairs_make_five_batches_the_last_of_12():
    order = Order(76, batch_size=16, seed=0)
    assert order.batches_per_epoch == 5
    assert [len(order.indices(step)) for step in range(6)] == [16, 16, 16, 16, 12, 16]


@pytest.mark.parametrize(
    ("n", "batch_size", "seed", "complaint"),
    [(0, 1, 0, "n=0"), (1, 0, 0, "batch_size=0"), (1, 1, -1, "seed=-1")],
)
def test_sizes_and_seeds_are_checked(n, batch_size, seed, complaint):
    with pytest.raises(PellucidError, match=f"^{complaint} must be at least"):
        Order(n, batch_size=batch_size, seed=seed)


def test_steps_count_from_0():
    with pytest.raises(PellucidError, match="step=-1 must be at least 0"):
        Order(3, batch_size=2, seed=0).indices(-1)
