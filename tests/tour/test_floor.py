"""The floor under the loss, and the distributions behind it."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

from pellucid.text.corpora import GROOT
from pellucid.tour.floor import (
    SHOWN_CONTEXTS,
    distributions,
    floor,
    model_says,
    where_it_comes_from,
)
from tests.tour.conftest import lesson_of
from tests.tour.scenes import table, words


def softmax(scores):
    powers = np.exp(np.asarray(scores, dtype=np.float64) - np.max(scores))
    return powers / powers.sum()


def test_the_parts_add_up_to_the_floor(any_lesson):
    corpus = any_lesson.corpus
    if not corpus.undecided:
        assert corpus.floor == 0
        return
    *rows, total = table(where_it_comes_from(corpus), "after", "occurs").rows
    assert sum(row[-1] for row in rows) == pytest.approx(corpus.floor, rel=1e-12)
    assert total[-1] == corpus.floor


def test_the_floor_of_the_embedded_corpus(lesson):
    assert "add up to 0.7361 nats" in words(floor(lesson))
    rows = {
        row[0]: row for row in table(where_it_comes_from(lesson.corpus), "after", "occurs").rows
    }
    assert rows["<START> groot likes"][1:3] == (3, "3 tokens")
    assert rows["<START> groot likes"][3] == pytest.approx(log(3))


def test_what_the_model_says_stands_beside_what_it_should_say(lesson):
    rows = table(distributions(lesson, lesson.corpus), "after", "next").rows
    start = next(i for i, row in enumerate(rows) if row[0] == "<START> groot likes")
    assert [row[1:4] for row in rows[start : start + 3]] == [
        ("friend", "1/3", "33.3%"),
        ("leaf", "1/3", "33.3%"),
        ("tree", "1/3", "33.3%"),
    ]
    says = softmax(lesson.model.logits([[1, 8, 14]])[0, -1])
    for name, said in ((row[1], row[4]) for row in rows[start : start + 3]):
        share = says[lesson.tokenizer.tokens.index(name)]
        assert said == f"{100 * share:.1f}%"
        assert share == pytest.approx(1 / 3, abs=0.01)


def test_an_untrained_model_is_shown_as_wrong_as_it_is(lesson):
    fresh = lesson_of(None, GROOT, model=lesson.trials.untrained)
    rows = table(distributions(fresh, fresh.corpus), "after", "next").rows
    tree = softmax(fresh.model.logits([[1, 8, 14]])[0, -1])[20]
    assert rows[-1] == ("", "tree", "1/3", "33.3%", f"{100 * tree:.1f}%")
    assert tree < 0.1


def test_the_shares_of_a_context_add_up_to_all(any_lesson):
    corpus = any_lesson.corpus
    if corpus.undecided:
        rows = table(distributions(any_lesson, corpus), "after", "next").rows
        assert sum(Fraction(row[2]) for row in rows) == min(len(corpus.undecided), SHOWN_CONTEXTS)


def test_the_largest_error_is_the_largest(lesson):
    corpus = lesson.corpus
    worst = max(
        abs(model_says(lesson, context)[id] - share)
        for context in corpus.undecided
        for id, share in corpus.distributions[context].items()
    )
    assert f"off by more than {100 * worst:.1f}%" in words(floor(lesson))


def test_of_very_many_contexts_some_are_shown_and_the_rest_are_counted():
    sentences = [f"{a} {b}" for a in "abcdefghijklmnopqrst" for b in "yz"]
    lesson = lesson_of(corpus=sentences)
    rows = table(where_it_comes_from(lesson.corpus), "after", "occurs").rows
    assert rows[-2][0] == "9 more"
    assert sum(row[-1] for row in rows[:-1]) == pytest.approx(lesson.corpus.floor, rel=1e-12)
    assert "9 more contexts left out" in words(floor(lesson))


def test_where_nothing_is_open_the_floor_is_zero():
    assert "the floor is 0" in words(floor(lesson_of(corpus=("hello",))))


def test_without_a_corpus_there_is_no_floor(given):
    assert floor(given) == ()
