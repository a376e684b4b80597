"""Nothing before a token depends on it, in any tensor of any kind of decoder."""

import numpy as np
import pytest

from tests.small_models import OF_ANY_LENGTH, OPTIONS, random_ids, small_model


@pytest.fixture(params=OPTIONS)
def model(request):
    return small_model(request.param)


def test_changing_a_token_changes_nothing_before_it(model):
    ids = random_ids(model.config, batch=1)[0]
    plain = model.trace(ids=ids, target="next")
    for t in range(1, len(ids)):
        other = ids.copy()
        other[t] = (ids[t] + 1) % model.config.vocab_size
        changed = model.trace(ids=other, target="next")
        for name in plain.names:
            if name == "loss":
                continue
            before = earlier(plain[name], t)
            assert np.array_equal(plain[name].values[before], changed[name].values[before]), (
                name,
                t,
            )


def earlier(tensor, t):
    """The part of a tensor that belongs to positions before `t`."""
    if tensor.name == "loss.per_position":
        # The token at t is the target at t − 1.
        return (slice(t - 1),)
    # A query's whole row of keys is its own; in the raw scores only what the mask lets through.
    by_token = {"position", "query"}
    raw = ("attn.scores", "attn.capped_scores", "attn.biased_scores")
    if "query" not in tensor.dims or tensor.name.endswith(raw):
        by_token |= {"key"}
    return tuple(slice(t if dim in by_token else None) for dim in tensor.dims)


def test_changing_a_token_changes_what_follows(model):
    ids = random_ids(model.config, batch=1)[0]
    other = ids.copy()
    other[2] = (ids[2] + 1) % model.config.vocab_size
    plain, changed = (model.trace(ids=given)["logits"].values for given in (ids, other))
    assert (np.abs(plain - changed).max(axis=-1)[2:] > 1e-6).all()


@pytest.mark.parametrize("option", OF_ANY_LENGTH)
def test_a_longer_text_begins_as_the_shorter_one(option):
    model = small_model(option)
    ids = random_ids(model.config, batch=1)[0]
    whole = model.trace(ids=ids)
    for t in range(1, len(ids)):
        short = model.trace(ids=ids[:t])
        for name in short.names:
            part = tuple(map(slice, short[name].values.shape))
            np.testing.assert_allclose(
                whole[name].values[part], short[name].values, rtol=0, atol=1e-12, err_msg=name
            )
