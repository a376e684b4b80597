"""Part 7: each step of a generation."""

import pytest

from pellucid.text.tokenizer import Tokenizer
from pellucid.tour.generation import beginnings, generation, iterations
from pellucid.views.scene import Bars
from tests.tour.conftest import lesson_of
from tests.tour.scenes import of_kind, table, words


def test_the_prompt_is_cut_short_where_its_text_is_over(lesson):
    assert beginnings(lesson) == ("i am", "groot likes", "tree needs", "rocket helps")


def test_a_prompt_that_goes_on_is_continued_as_it_is(lesson):
    assert beginnings(lesson_of("tree", model=lesson.model)) == ("tree",)
    assert beginnings(lesson_of("")) == ("", "groot likes", "tree needs", "rocket helps")


def test_ones_own_corpus_gives_its_own_beginnings():
    lesson = lesson_of(corpus=("birds sing", "birds fly high", "fish swim"))
    assert beginnings(lesson) == ("birds", "birds fly", "fish")


@pytest.mark.parametrize("beginning", ["i am", "groot likes", "tree needs", "rocket helps", ""])
def test_every_step_is_the_models(lesson, beginning):
    steps = list(lesson.model.generate(beginning, max_new_tokens=5))
    blocks = iterations(lesson, beginning)
    rows = table(blocks, "step").rows
    charts = of_kind(blocks, Bars)
    assert len(rows) == len(charts) == len(steps)
    for step, row, chart in zip(steps, rows, charts, strict=True):
        assert row[1:4] == (" ".join(lesson.model.labels(step.ids)), step.position, step.token)
        assert chart.items == tuple((c.token, c.probability) for c in step.top)
    assert rows[-1][-1] == "end token"
    assert f'"{lesson.model.generate_text(beginning)}"' in words(blocks)


def test_the_texts_of_the_embedded_corpus(lesson):
    said = words(generation(lesson))
    assert '"i am groot"' in said
    assert '"tree needs water"' in said
    assert '"rocket helps groot"' in said


def test_a_text_longer_than_the_context_says_that_its_beginning_slid_away(lesson):
    blocks = iterations(lesson, "i am groot i am")
    rows = table(blocks, "step").rows
    assert rows[0][1] == "… am groot i am"
    assert "slid out of the window" in words(blocks)


def test_a_generation_that_does_not_end_stops_after_some_steps(lesson, monkeypatch):
    monkeypatch.setattr(Tokenizer, "end_ids", frozenset())
    rows = table(iterations(lesson, "i am"), "step").rows
    assert len(rows) == 5
    assert rows[-1][-1] == "after 5 steps"
