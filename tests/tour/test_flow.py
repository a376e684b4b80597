"""Who looks at whom."""

import pytest

from pellucid.model.model import Model
from pellucid.tour.flow import flow
from pellucid.views.scene import Bars
from tests.small_models import SMALL, WORDS
from tests.tour.conftest import lesson_of
from tests.tour.scenes import of_kind, words


def test_each_chart_is_a_row_of_the_pattern_up_to_its_own_token(any_lesson):
    charts = of_kind(flow(any_lesson), Bars)
    pattern = any_lesson.inside("attn.pattern").values[0]
    assert len(charts) == len(pattern)
    for query, chart in enumerate(charts):
        assert [label for label, _ in chart.items] == list(any_lesson.trace.tokens[: query + 1])
        assert [share for _, share in chart.items] == pattern[query, : query + 1].tolist()
        assert sum(share for _, share in chart.items) == pytest.approx(1, abs=1e-6)


def test_the_looks_in_words_are_the_patterns(lesson):
    pattern, (query, key) = lesson.inside("attn.pattern").values[0], lesson.look
    said, favourite = words(flow(lesson)), int(pattern[-1].argmax())
    assert f"{lesson.token(query)} takes {100 * pattern[query, key]:.1f}% of what it" in said
    assert f"most at {lesson.token(favourite)}: {100 * pattern[-1, favourite]:.1f}%" in said


def test_of_a_long_prompt_the_last_tokens_are_drawn():
    model = Model.from_config(SMALL.replace(block_size=12), WORDS, scheme="torch")
    blocks = flow(lesson_of("oak elm ash fir bud leaf root moss oak", model=model))
    assert len(of_kind(blocks, Bars)) == 8
    assert "the last 8 of 10 tokens" in words(blocks)


def test_a_lone_token_has_its_attention_to_itself():
    assert "stands alone" in words(flow(lesson_of("")))
