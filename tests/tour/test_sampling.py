"""Other ways to choose, run."""

import re

import numpy as np
import pytest

from pellucid.tour.sampling import (
    DRAWS,
    WAYS,
    drawn_texts,
    draws,
    open_question,
    rungs,
    ways_to_choose,
)
from pellucid.views.scene import Bars
from tests.tour.scenes import of_kind, table, words


def test_the_longest_open_question_of_the_corpus_is_asked(lesson, given):
    assert lesson.model.labels(open_question(lesson)) == ("<START>", "groot", "likes")
    assert open_question(given) == given.prompt_ids


def test_each_column_is_one_way_of_choosing(any_lesson):
    shown = table(ways_to_choose(any_lesson), "token", "greedy")
    assert shown.columns[1:] == tuple(WAYS)
    scores = any_lesson.model.next_logits(open_question(any_lesson))
    for row in shown.rows:
        id = any_lesson.tokenizer.tokens.index(row[0])
        for way, said in zip(WAYS.values(), row[1:], strict=True):
            share = float(way.filter(scores).probabilities[id])
            assert float(said.strip("<>%")) == pytest.approx(100 * share, abs=0.1)


def test_what_each_way_leaves_is_counted(lesson):
    assert "Of 24 tokens greedy choice leaves 1, top-k 2 leaves 2 and top-p 0.9 leaves 3" in words(
        ways_to_choose(lesson)
    )


def test_the_rungs_lead_from_the_logits_to_what_is_left(any_lesson):
    first, *_, last = of_kind(rungs(any_lesson), Bars)
    scores = any_lesson.model.next_logits(open_question(any_lesson))
    assert [n for _, n in first.items] == np.sort(scores)[::-1][: len(first.items)].tolist()
    left = sum(n > 0 for _, n in last.items)
    assert re.search(rf"In the end {left} tokens? (is|are) left", words(rungs(any_lesson)))
    assert sum(n for _, n in last.items) == pytest.approx(1)


def test_the_draws_come_out_as_their_probabilities_have_it(lesson):
    drawn, expected = of_kind(draws(lesson), Bars)
    assert [label for label, _ in drawn.items] == [label for label, _ in expected.items]
    for (_, count), (_, mean) in zip(drawn.items, expected.items, strict=True):
        # Five standard deviations of a binomial count.
        assert abs(count - mean) <= 5 * np.sqrt(max(mean, 1) * max(1 - mean / DRAWS, 0.01))
    assert sum(count for _, count in drawn.items) <= DRAWS


def test_the_texts_are_what_the_model_writes_with_these_seeds(lesson):
    rows = table(drawn_texts(lesson), "seed").rows
    for seed, text, known in rows:
        assert text == lesson.model.generate_text("", temperature=1.0, seed=seed, max_new_tokens=4)
        assert (known == "yes") == (text in lesson.corpus.sentences)


def test_without_a_corpus_no_texts_are_drawn(given):
    assert drawn_texts(given) == ()
