"""Where the tour looks, and how it names what it sees."""

import numpy as np
import pytest

from pellucid.model.model import Model
from tests.small_models import SMALL, WORDS
from tests.tour.conftest import lesson_of


@pytest.mark.parametrize("seed", range(4))
def test_the_strongest_look_back_at_a_word_is_spoken_of(seed):
    model = Model.from_config(SMALL, WORDS, scheme="torch", seed=seed)
    lesson = lesson_of("oak elm ash", model=model)
    pattern = lesson.inside("attn.pattern").values[0]
    query, key = lesson.look
    assert 0 < key < query
    assert pattern[query, key] == np.tril(pattern, -1)[:, 1:].max()


def test_where_there_are_no_words_to_look_back_at(lesson):
    assert lesson_of("groot", model=lesson.model).look == (1, 0)
    assert lesson_of("", model=lesson.model).look == (0, 0)


def test_a_token_that_occurs_twice_is_named_with_its_position(lesson):
    twice = lesson_of("groot likes groot", model=lesson.model)
    assert [twice.token(i) for i in (1, 2, -1)] == [
        '"groot" (position 1)',
        '"likes"',
        '"groot" (position 3)',
    ]


def test_the_prompt_is_checked_and_traced_by_the_same_model(lesson):
    assert lesson.trace.ids == lesson.prompt_ids
    assert lesson.trials is not None
    assert lesson.model is lesson.trials.run.model


def test_a_given_model_is_not_trained(given, lesson):
    assert given.trials is None
    assert given.model is lesson.model
    assert given.corpus is None


def test_the_end_follows_a_whole_sentence_of_the_corpus_alone(lesson):
    assert lesson.followers == (*lesson.prompt_ids[1:], lesson.tokenizer.end_id)
    beginning = lesson_of("i am", model=lesson.model)
    assert beginning.followers == beginning.prompt_ids[1:]
    # A model whose corpus is unknown was never told where a sentence ends.
    unknown = lesson_of("i am groot", model=lesson.model)
    assert unknown.followers == unknown.prompt_ids[1:]
    assert lesson_of("").followers == ()
