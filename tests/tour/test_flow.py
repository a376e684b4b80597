"""Who looks at whom."""

import numpy as np

from pellucid.tour.flow import flow
from pellucid.views.scene import Flow
from tests.tour.conftest import lesson_of
from tests.tour.scenes import of_kind, words


def test_the_lines_are_the_patterns_between_the_prompts_tokens(any_lesson):
    (lines,) = of_kind(flow(any_lesson), Flow)
    np.testing.assert_array_equal(lines.weights, any_lesson.inside("attn.pattern").values[0])
    assert lines.targets.labels == lines.sources.labels == any_lesson.trace.tokens


def test_the_looks_in_words_are_the_patterns(lesson):
    pattern, (query, key) = lesson.inside("attn.pattern").values[0], lesson.look
    said, favourite = words(flow(lesson)), int(pattern[-1].argmax())
    assert f"{lesson.token(query)} takes {100 * pattern[query, key]:.1f}% of what it" in said
    assert f"most at {lesson.token(favourite)}: {100 * pattern[-1, favourite]:.1f}%" in said


def test_a_lone_token_has_its_attention_to_itself():
    assert "stands alone" in words(flow(lesson_of("")))
