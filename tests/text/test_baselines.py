"""The entropies of a text are those of its frequencies, whatever the memory they are counted in."""

from collections import Counter
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.text import baselines as counting
from pellucid.text import mapped
from pellucid.text.baselines import baselines
from pellucid.text.batches import Pairs
from pellucid.text.statistics import conditional_entropy

V = 5
runs = st.lists(st.integers(0, V - 1), min_size=2, max_size=60).map(np.array)


@given(runs)
def test_the_entropies_are_losses_of_the_frequencies_themselves(ids):
    found = baselines(ids, vocab_size=V)
    targets = ids[1:].tolist()
    shares = {id: count / len(targets) for id, count in Counter(targets).items()}
    assert found.uniform == log(V)
    assert found.unigram == pytest.approx(np.mean([-log(shares[t]) for t in targets]), abs=1e-12)
    # A context of one id makes a bigram a pair to train on.
    pairs = Pairs(ids[:-1, None], ids[1:], np.ones(len(targets), dtype=np.int64))
    assert found.bigram == pytest.approx(conditional_entropy(pairs), abs=1e-12)


@given(runs)
def test_knowing_more_never_costs_anything(ids):
    found = baselines(ids, vocab_size=V)
    assert -1e-12 <= found.bigram <= found.unigram + 1e-12 <= found.uniform + 2e-12


@given(runs, st.integers(1, 7), st.integers(1, 30))
def test_neither_chunks_nor_groups_of_pairs_change_them(ids, chunk, pairs):
    expected = baselines(ids, vocab_size=V)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mapped, "CHUNK", chunk)
        patch.setattr(counting, "PAIRS_AT_A_TIME", pairs)
        found = baselines(ids, vocab_size=V)
    assert found.unigram == pytest.approx(expected.unigram, abs=1e-12)
    assert found.bigram == pytest.approx(expected.bigram, abs=1e-12)


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32, np.int64])
def test_ids_may_be_stored_narrow(dtype):
    ids = np.array([70, 3, 70, 299, 3, 70], dtype=dtype)
    assert baselines(ids, vocab_size=300) == baselines(ids.astype(np.int32), vocab_size=300)


def test_what_is_certain_has_no_entropy():
    found = baselines(np.array([0, 1] * 50), vocab_size=2)
    assert (found.uniform, found.bigram) == (log(2), 0.0)


def test_one_token_says_nothing():
    with pytest.raises(PellucidError, match=r"^The text has 1 tokens; .* at least 2"):
        baselines(np.array([3]), vocab_size=9)
