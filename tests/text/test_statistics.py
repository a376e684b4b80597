"""What the corpus says about the next id, and the floor it sets."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.text.batches import training_pairs
from pellucid.text.corpora import GROOT
from pellucid.text.statistics import conditional_distributions, conditional_entropy
from pellucid.text.tokenizer import Tokenizer

corpora = st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=6), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def groot():
    return Tokenizer.words(GROOT)


def cross_entropy(pairs, model):
    """Return the mean loss in nats of a `model` that maps a context to its probabilities."""
    rows = zip(pairs.contexts, pairs.lengths, pairs.targets, strict=True)
    return np.mean([-log(model[tuple(c[:n].tolist())][int(t)]) for c, n, t in rows])


def test_after_groot_likes_come_tree_leaf_and_friend_equally(groot):
    pairs = training_pairs(groot.sequences(GROOT), pad_id=0)
    after = conditional_distributions(pairs)[tuple(groot.prompt("groot likes"))]
    assert {groot.tokens[id]: p for id, p in after.items()} == {
        "tree": 1 / 3,
        "leaf": 1 / 3,
        "friend": 1 / 3,
    }


def test_the_floor_of_groot(groot):
    pairs = training_pairs(groot.sequences(GROOT), pad_id=0)
    assert conditional_entropy(pairs) == pytest.approx(0.7361097447916102, rel=1e-15)


@given(corpora)
def test_a_probability_is_the_share_of_the_sentences_that_go_on_so(sequences):
    distributions = conditional_distributions(training_pairs(sequences, pad_id=0))
    starts = [tuple(ids[:n]) for ids in sequences for n in range(1, len(ids))]
    assert list(distributions) == list(dict.fromkeys(starts))
    for context, followers in distributions.items():
        n = len(context)
        following = [s[n] for s in sequences if tuple(s[:n]) == context and len(s) > n]
        shares = {id: following.count(id) / len(following) for id in sorted(set(following))}
        assert list(followers.items()) == list(shares.items())


@given(corpora)
def test_the_floor_is_the_loss_of_the_distributions_themselves(sequences):
    pairs = training_pairs(sequences, pad_id=0)
    best = cross_entropy(pairs, conditional_distributions(pairs))
    assert conditional_entropy(pairs) == pytest.approx(best, rel=1e-12, abs=1e-15)


@given(corpora, st.integers(0, 2**32))
def test_no_model_gets_below_the_floor(sequences, seed):
    pairs = training_pairs(sequences, pad_id=0)
    rng = np.random.default_rng(seed)
    model = {context: rng.dirichlet(np.ones(4)) for context in conditional_distributions(pairs)}
    assert cross_entropy(pairs, model) >= conditional_entropy(pairs) - 1e-12


def test_what_is_certain_has_no_entropy():
    assert conditional_entropy(training_pairs([[1, 3, 2], [1, 3, 2]], pad_id=0)) == 0.0


def test_a_context_counts_without_its_padding():
    # The id that pads is an ordinary id here: only the lengths tell [1] from [1, 0].
    distributions = conditional_distributions(training_pairs([[1, 0, 5], [1, 7]], pad_id=0))
    assert distributions == {(1,): {0: 0.5, 7: 0.5}, (1, 0): {5: 1.0}}
