"""Truths about a generation as a whole."""

import pytest

from pellucid.errors import PellucidError
from pellucid.generation.continuation import Continuation
from pellucid.generation.generation import Generation
from tests.generation.small_generations import bigram, ids_of, run, steps_of


def start(**options):
    texts = [Continuation([1], number=0), Continuation([5, 6], number=1)]
    return Generation(steps_of(bigram, *texts, **options), texts)


def test_it_gives_the_steps_and_its_texts_grow_with_them():
    generation = start(max_new_tokens=3)
    first = next(generation)
    assert generation.texts[0].new_ids == [first.id]
    assert generation.texts[1].new_ids == []
    rest = list(generation)
    assert len(rest) == 5
    assert [len(text.new_ids) for text in generation.texts] == [3, 3]


def test_finishing_takes_what_is_left():
    generation = start()
    next(generation)
    assert generation.finish() is generation
    assert [text.new_ids for text in generation.texts] == [ids_of(run()), ids_of(run(ids=[5, 6]))]
    assert list(generation) == []


def test_traces_must_be_asked_for():
    with pytest.raises(PellucidError, match="not traced: ask for it with trace=True"):
        _ = start().traces


def test_it_prints_as_its_texts():
    generation = start(max_new_tokens=1)
    next(generation)
    assert repr(generation) == f"<Generation: {generation.texts[0]!r}, {generation.texts[1]!r}>"
