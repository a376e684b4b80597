"""A model held against a text: every token but the first is predicted once."""

import math

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer
from pellucid.training.evaluate import CONTEXT_SHOWN, byte_lengths, evaluate
from tests.small_models import random_ids, small_config, small_model

MODEL = small_model()
BLOCK = MODEL.config.block_size
TEXTS = ["the owl saw", "ein Käuzchen", "ὄρνις 🦉🦉"]


def ids_of_length(n):
    return random_ids(MODEL.config, 1, n)[0]


def losses_one_by_one(model, ids):
    """−ln p of each token but the first, its window's tokens before it given."""
    block = model.config.block_size
    losses = []
    n_windows = math.ceil((len(ids) - 1) / block)
    for window in range(n_windows):
        start = min(window * block, len(ids) - 1 - block) if len(ids) > block else 0
        for position in range(window * block, min((window + 1) * block, len(ids) - 1)):
            logits = model.logits([ids[start : position + 1]])[0, -1]
            losses.append(np.log(np.exp(logits).sum()) - logits[ids[position + 1]])
    return np.array(losses)


@pytest.mark.parametrize("n", [2, 3, BLOCK, BLOCK + 1, BLOCK + 2, 3 * BLOCK, 41])
def test_it_is_the_mean_over_every_token_but_the_first(n):
    ids = ids_of_length(n)
    losses = losses_one_by_one(MODEL, ids)
    found = evaluate(MODEL, ids, worst=n)
    assert found.tokens == n - 1
    assert found.loss == pytest.approx(losses.mean(), rel=1e-9)
    assert found.perplexity == pytest.approx(math.exp(losses.mean()), rel=1e-9)
    by_position = {place.position: place.loss for place in found.worst}
    assert by_position == pytest.approx(dict(enumerate(losses, start=1)), rel=1e-9)


def test_the_worst_places_come_in_order_with_what_stands_before():
    ids = ids_of_length(60)
    losses = losses_one_by_one(MODEL, ids)
    worst = evaluate(MODEL, ids, worst=5).worst
    assert [place.position for place in worst] == (np.argsort(-losses)[:5] + 1).tolist()
    for place in worst:
        assert place.id == ids[place.position]
        assert place.before == tuple(ids[: place.position][-CONTEXT_SHOWN:])
        assert place.probability == pytest.approx(math.exp(-losses[place.position - 1]))


def test_of_equals_the_first_is_worse():
    config = small_config("no positions")
    model = Model(config, {n: 0 * p for n, p in small_model("no positions").parameters.items()})
    worst = evaluate(model, ids_of_length(50), worst=3).worst
    assert [place.position for place in worst] == [1, 2, 3]
    assert worst[0].loss == pytest.approx(math.log(config.vocab_size))


def test_more_tokens_than_fit_into_one_run_are_no_different():
    ids = ids_of_length(5000)
    whole = evaluate(MODEL, ids)
    assert whole.tokens == 4999
    assert whole.loss == pytest.approx(losses_one_by_one(MODEL, ids).mean(), rel=1e-9)


def test_progress_is_told():
    seen: list[tuple[int, int]] = []
    evaluate(MODEL, ids_of_length(5000), on_progress=lambda *counts: seen.append(counts))
    assert seen[-1] == (4999, 4999)
    assert seen == sorted(set(seen))


@pytest.mark.parametrize("kind", ["characters", "words", "byte_pairs"])
def test_every_byte_of_the_text_is_counted_for_any_tokenizer(kind):
    text = " ".join(TEXTS * 4)
    options = {"vocab_size": 280} if kind == "byte_pairs" else {"running": True}
    tokenizer = getattr(Tokenizer, kind)([text], **options)
    ids = tokenizer.encode(text)
    config = small_config().replace(vocab_size=tokenizer.vocab_size)
    model = Model.from_config(config, tokenizer)
    found = evaluate(model, np.array(ids))
    first = len(tokenizer.decode(ids[:1]).encode())
    # Words count with the space before them, which the first one does not have.
    assert found.bytes == len(text.encode()) - first
    nats = found.loss * found.tokens
    assert found.bits_per_byte == pytest.approx(nats / math.log(2) / found.bytes)


def test_without_a_tokenizer_there_are_no_bytes():
    found = evaluate(MODEL, ids_of_length(10))
    assert found.bytes == 0
    assert math.isnan(found.bits_per_byte)


def test_ids_that_no_token_has_stand_for_nothing():
    tokenizer = Tokenizer.characters(["ab"], running=True)
    assert byte_lengths(tokenizer, 5).tolist() == [0, 1, 1, 0, 0]


@pytest.mark.parametrize("n", [0, 1])
def test_too_short_a_text_is_refused(n):
    with pytest.raises(PellucidError, match=f"has {n} tokens"):
        evaluate(MODEL, ids_of_length(9)[:n])


def test_ids_of_another_model_are_refused():
    with pytest.raises(PellucidError, match=r"the id 11, and the model only vocab_size=11"):
        evaluate(MODEL, np.array([1, 2, 11, 3]))
