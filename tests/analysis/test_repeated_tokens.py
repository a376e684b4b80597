"""The test text: different tokens, then the same again."""

import numpy as np
import pytest

import pellucid
from pellucid.analysis.repeated_tokens import repeated_tokens
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer
from tests.small_models import SMALL, WORDS, small_model

LONG = SMALL.replace(block_size=64, vocab_size=WORDS.vocab_size)


def halves(ids, start=0):
    return np.split(ids[:, start:], 2, axis=1)


def test_the_second_half_is_the_first_again_and_nothing_in_it_twice():
    first, second = halves(repeated_tokens(Model.from_config(SMALL.replace(block_size=20))))
    assert np.array_equal(first, second)
    assert all(len(set(row)) == len(row) == 10 for row in first.tolist())


def test_texts_differ_and_the_same_seed_draws_the_same():
    model = small_model()
    ids = repeated_tokens(model, texts=5, seed=3)
    assert len({tuple(row) for row in ids.tolist()}) > 1
    assert np.array_equal(ids, repeated_tokens(model, texts=5, seed=3))
    assert not np.array_equal(ids, repeated_tokens(model, texts=5, seed=4))


def test_the_start_token_stands_before_it_and_no_other_special_token_in_it():
    model = Model.from_config(LONG, WORDS)
    ids = repeated_tokens(model, texts=3)
    assert ids.shape == (3, 1 + 2 * 8)
    assert (ids[:, 0] == WORDS.start_id).all()
    known = {WORDS.encode(word)[0] for word in WORDS.tokens if word.isalpha()}
    assert set(ids[:, 1:].ravel().tolist()) <= known


def test_it_is_as_long_as_there_is_room_for():
    many = Model.from_config(SMALL.replace(block_size=200, vocab_size=90))
    assert repeated_tokens(many).shape == (4, 50)
    assert repeated_tokens(many, length=40).shape == (4, 80)
    assert repeated_tokens(small_model()).shape == (4, 6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"length": 4}, "the context is 6 and 11 tokens stand for text. Give length=3, or less"),
        ({"length": 1}, "length=1"),
        ({"texts": 0}, "texts=0"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_what_does_not_fit_is_said_in_numbers(options, words):
    with pytest.raises(PellucidError, match=words):
        repeated_tokens(small_model(), **options)


def test_a_context_too_short_asks_for_a_text():
    with pytest.raises(PellucidError, match=r"the context is 4 .* Give a text of your own"):
        repeated_tokens(pellucid.load("baby-groot"))


def test_a_vocabulary_of_special_tokens_alone_is_too_small():
    tokenizer = Tokenizer.words(["one"])
    model = Model.from_config(LONG.replace(vocab_size=tokenizer.vocab_size), tokenizer)
    with pytest.raises(PellucidError, match="1 tokens stand for text"):
        repeated_tokens(model)
