"""Rolled-out attention is a sum over all ways through the blocks."""

from itertools import product

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from tests.small_models import OPTIONS, WORDS, random_ids, small_model


def traced(option="as it is", **options):
    model = small_model(option, **options)
    return model.trace(ids=random_ids(model.config, batch=1)[0])


def step(trace, block):
    """Half of what a position holds stays, half comes by the mean of the block's patterns."""
    pattern = trace[f"blocks.{block}.attn.pattern"].values
    return 0.5 * np.eye(len(trace.ids)) + 0.5 * pattern.mean(axis=0)


def test_it_sums_over_all_ways_from_a_token_to_a_position():
    trace = traced()
    first, second = step(trace, 0), step(trace, 1)
    found = pellucid.rollout(trace).values
    size = len(trace.ids)
    assert np.allclose(found[0], first, atol=1e-15)
    for query, key in product(range(size), repeat=2):
        ways = sum(second[query, between] * first[between, key] for between in range(size))
        assert found[1, query, key] == pytest.approx(ways, abs=1e-14)


@pytest.mark.parametrize("option", OPTIONS)
def test_shares_are_shares_and_none_comes_from_the_future(option):
    found = pellucid.rollout(traced(option)).values
    assert found.shape[0] == small_model(option).config.n_layer
    assert np.allclose(found.sum(axis=-1), 1, atol=1e-12)
    assert (found >= 0).all()
    assert (np.triu(found, k=1) == 0).all()


def test_what_stays_decides_how_far_it_goes():
    trace = traced()
    assert (pellucid.rollout(trace, residual=1).values == np.eye(len(trace.ids))).all()
    alone = pellucid.rollout(trace, residual=0).values[0]
    assert np.allclose(alone, trace["blocks.0.attn.pattern"].values.mean(axis=0), atol=1e-15)


def test_a_block_s_shares_are_labelled():
    trace = small_model(tokenizer=WORDS).trace("moss oak ash")
    rolled = pellucid.rollout(trace)
    after = rolled.after(0)
    assert after.dims == ("query", "key")
    assert after.labels["key"] == trace.tokens
    assert np.array_equal(rolled.after(-1).values, rolled.after(1).values)
    assert rolled.shares("ash") == tuple(
        zip(trace.tokens, rolled.values[1, 3].tolist(), strict=True)
    )
    assert rolled.to_dict()["values"] == rolled.values.tolist()


def test_an_edited_pattern_is_rolled_out_as_it_is_after_the_edit():
    model = small_model()
    alone = pellucid.set_to("blocks.1.attn.pattern", np.eye(3)[None].repeat(4, axis=0))
    trace = model.trace(ids=[1, 2, 3], edits=[alone])
    rolled = pellucid.rollout(trace)
    assert rolled.edits == (alone,)
    assert np.allclose(rolled.values[1], rolled.values[0], atol=1e-15)
    assert "Edited:" in repr(rolled)


@pytest.mark.parametrize("residual", [-0.1, 1.5, float("nan")])
def test_what_is_no_share_is_refused(residual):
    with pytest.raises(PellucidError, match="is no share"):
        pellucid.rollout(traced(), residual=residual)


def test_a_block_that_is_not_there_is_refused():
    with pytest.raises(PellucidError, match="block=2 is out of range"):
        pellucid.rollout(traced()).after(2)


def test_a_pattern_that_was_not_kept_is_missed():
    trace = small_model().trace(ids=[1, 2], names=["blocks.0.attn.pattern"])
    with pytest.raises(PellucidError, match="was not kept"):
        pellucid.rollout(trace)


def test_it_never_changes():
    with pytest.raises(ValueError, match="read-only"):
        pellucid.rollout(traced()).values[0] = 0
