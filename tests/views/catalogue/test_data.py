"""The vocabulary and the training pairs, as ids and as tokens."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.text.corpora import GROOT
from pellucid.text.tokenizer import Tokenizer
from pellucid.training.sentences import pairs_of
from tests.small_models import SMALL
from tests.views.catalogue.given import given, groot, trace_of, view


def rows(row):
    return [cells for table in row.blocks for cells in table.rows]


def test_every_token_stands_beside_its_id():
    (row,) = view("vocabulary", *given("trace"))
    tokens = groot().tokenizer.tokens
    assert rows(row) == [(token, id) for id, token in enumerate(tokens)]


def test_of_a_large_vocabulary_the_prompt_s_tokens_are_listed():
    tokenizer = Tokenizer.words(" ".join(f"w{i:03}" for i in range(200)).split())
    config = SMALL.replace(vocab_size=tokenizer.vocab_size)
    trace = Model.from_config(config, tokenizer).trace("w007 w150 w007")
    (row,) = view("vocabulary", trace)
    assert rows(row) == [(tokenizer.label(id), id) for id in sorted(set(trace.ids))]
    assert f"of {tokenizer.vocab_size}" in row.blocks[0].note


def test_ids_that_stand_for_no_text_are_no_vocabulary():
    with pytest.raises(PellucidError, match="no tokenizer"):
        view("vocabulary", trace_of("as it is"))


def test_pairs_are_those_that_are_trained_on():
    tokenizer = groot().tokenizer
    (table,) = view("training_pairs", GROOT, tokenizer, pairs=1000)
    pairs = pairs_of(tokenizer, GROOT)
    assert len(table.rows) == len(pairs)
    assert table.note is None
    for row, (number, ids, target, tokens, answer) in enumerate(table.rows):
        assert number == row
        assert [int(id) for id in ids.split()] == pairs.contexts[row].tolist()
        assert tokens.split() == list(tokenizer.labels(pairs.contexts[row].tolist()))
        assert (target, answer) == (pairs.targets[row], tokenizer.label(pairs.targets[row]))


def test_a_part_of_the_pairs_says_which_part():
    (table,) = view("training_pairs", GROOT, groot().tokenizer, first=70, pairs=10)
    assert [row[0] for row in table.rows] == list(range(70, 76))
    assert table.note == "6 of 76 pairs, from pair 70."
    for wrong in ({"first": 76}, {"first": -1}, {"pairs": 0}, {"pairs": "3"}, {"first": 0.5}):
        with pytest.raises(PellucidError, match="="):
            view("training_pairs", GROOT, groot().tokenizer, **wrong)


def test_without_a_sentence_there_is_no_pair():
    with pytest.raises(PellucidError, match="at least one sentence"):
        view("training_pairs", [], groot().tokenizer)


def test_much_padding_is_counted():
    corpus = ("a", "a b c d e f g")
    (table,) = view("training_pairs", corpus, Tokenizer.words(corpus))
    assert table.rows[0][3] == "<START> … 7 × <PAD>"
    assert np.all([len(row[1].split()) <= 8 for row in table.rows])
