"""The measure names the heads that do what they are called."""

import json

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from tests.analysis.induction import made_by_hand, trained
from tests.small_models import OPTIONS, WORDS, random_ids, small_model


def named(summary):
    return {(each.kind, each.block, each.head) for each in summary.named}


# Heads that are what they are called


def test_heads_made_by_hand_are_known_by_what_they_do():
    summary = pellucid.heads(made_by_hand())
    assert named(summary) == {("previous token", 0, 1), ("induction", 1, 0)}
    (induction,) = summary.best("induction", top=1)
    assert induction.name == "blocks.1 head 0"
    # In each text the first token has none before it but itself, so that it looks like the answer
    # to itself: to one of six queries it comes up half as often as the answer.
    assert induction.share == pytest.approx(11 / 12, abs=1e-4)
    assert summary.kinds_of(0, 1) == ("previous token",)
    assert summary.kinds_of(1, 1) == ()


def test_the_same_without_its_second_layer_has_no_induction_head():
    summary = pellucid.heads(made_by_hand(n_layer=1))
    assert named(summary) == {("previous token", 0, 1)}
    assert summary.best("induction", top=1)[0].share < 0.2


@pytest.mark.slow
def test_training_on_repeated_tokens_makes_an_induction_head_of_two_layers():
    summary = pellucid.heads(trained(2, steps=250))
    assert ("induction", 1) in {(each.kind, each.block) for each in summary.named}
    assert summary.best("induction", top=1)[0].share > 0.6


@pytest.mark.slow
def test_but_none_of_one_layer():
    summary = pellucid.heads(trained(1, steps=250))
    assert "induction" not in {each.kind for each in summary.named}
    assert summary.best("induction", top=1)[0].share < 2 * summary.by_chance["induction"]


def test_without_the_head_that_it_reads_from_an_induction_head_finds_nothing():
    silent = pellucid.zero("blocks.0.attn.z", head=1)
    summary = pellucid.heads(made_by_hand(), edits=[silent])
    assert named(summary) == {("previous token", 0, 1)}
    assert summary.edits == (silent,)
    assert summary.best("induction", top=1)[0].share < 0.2


# What is measured


@pytest.mark.parametrize("option", OPTIONS)
def test_shares_are_those_of_the_traced_patterns(option):
    model = small_model(option)
    ids = random_ids(model.config, batch=1)[0].tolist()
    summary = pellucid.heads(model, ids=ids)
    trace = model.trace(ids=ids)
    for block in range(model.config.n_layer):
        pattern = trace[f"blocks.{block}.attn.pattern"].values
        previous = [pattern[:, query, query - 1] for query in range(2, len(ids))]
        assert np.allclose(summary.shares["previous token"][block], np.mean(previous, axis=0))
        first = pattern[:, 2:, 0].mean(axis=-1)
        assert np.allclose(summary.shares["first token"][block], first)


def test_by_torch_it_is_the_same():
    model = made_by_hand()
    ours, theirs = (pellucid.heads(each) for each in (model, model.using("torch", device="cpu")))
    for kind in ours.kinds:
        assert np.allclose(ours.shares[kind], theirs.shares[kind], atol=1e-6)


def test_of_a_text_in_which_nothing_occurs_again_there_is_no_share():
    summary = pellucid.heads(small_model(tokenizer=WORDS), "oak ash fir")
    assert np.isnan(summary.shares["induction"]).all()
    assert not any(each.kind == "induction" for each in summary.named)
    assert json.loads(json.dumps(summary.to_dict()))["kinds"]["induction"]["by_chance"] == "NaN"


def test_the_text_is_said():
    assert pellucid.heads(small_model(), seed=7, texts=2).text == (
        "3 random tokens and the same 3 again, drawn for 2 texts with seed 7"
    )
    summary = pellucid.heads(small_model(tokenizer=WORDS), "oak ash oak")
    assert summary.text == "4 tokens of a text that was given"
    assert summary.tokens == ("<START>", "oak", "ash", "oak")


def test_a_threshold_decides_who_is_named():
    model = small_model()
    every = pellucid.heads(model, threshold=1e-9)
    assert len(every.named) == 4 * 8
    shares = [each.share for each in every.named[:8]]
    assert shares == sorted(shares, reverse=True)
    assert pellucid.heads(model, threshold=1).named == ()


@pytest.mark.parametrize("threshold", [0, 1.1, float("nan")])
def test_what_is_no_share_is_no_threshold(threshold):
    with pytest.raises(PellucidError, match="is no share"):
        pellucid.heads(small_model(), threshold=threshold)


def test_kinds_and_heads_that_are_not_there_are_refused():
    summary = pellucid.heads(small_model())
    with pytest.raises(PellucidError, match=r'no kind "inductive"\. Did you mean induction'):
        summary.best("inductive")
    with pytest.raises(PellucidError, match="2 blocks of 4 heads"):
        summary.kinds_of(2, 0)


def test_a_summary_never_changes():
    with pytest.raises(ValueError, match="read-only"):
        pellucid.heads(small_model()).shares["induction"][0] = 0
