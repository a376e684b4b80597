"""Queries, keys and scores as they are compared, in models that do more to them than most."""

import numpy as np
import pytest

from pellucid.model.model import Model
from pellucid.tour.attention import products
from pellucid.tour.block import block
from pellucid.tour.comparing import bent, placed
from pellucid.views.scene import Heading, Matrix
from tests.small_models import KIN, SMALL, WORDS
from tests.tour.conftest import lesson_of
from tests.tour.scenes import of_kind, words


def lesson_like(option):
    model = Model.from_config(SMALL.replace(**KIN[option]), WORDS, scheme="torch")
    return lesson_of("oak elm fir", model=model)


@pytest.mark.parametrize("option", KIN)
def test_the_products_shown_are_those_of_the_score(option):
    lesson = lesson_like(option)
    scale = lesson.model.config.attention_scale or 1 / np.sqrt(lesson.model.config.d_head)
    score = lesson.inside("attn.scores").values[(0, *lesson.look)]
    assert products(lesson).sum() * scale == pytest.approx(score, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("option", KIN)
def test_what_is_compared_is_shown_where_it_is_not_what_was_made(option):
    lesson = lesson_like(option)
    compared = lesson.trace.graph.node("blocks.0.attn.scores").inputs
    shown = [matrix.name for matrix in of_kind(placed(lesson), Matrix)]
    assert shown == ([] if compared[0] == "blocks.0.attn.q" else list(compared))


def test_turning_and_norms_are_told_of_where_they_are():
    assert "turned by an angle" in words(placed(lesson_like("like llama 3")))
    assert "norm of its own" in words(placed(lesson_like("like gemma 3")))
    shifted = words(placed(lesson_like("quick gelu, norms of heads with a shift")))
    assert "norm of its own" in shifted
    assert "turned" not in shifted


def test_a_cap_and_a_slope_are_said_in_numbers():
    assert "none passes 0.7" in words(bent(lesson_like("like gemma 2")))
    # 0.7 times the first slope of four heads, 2⁻².
    assert "lowered, in this head by 0.175" in words(bent(lesson_like("like falcon")))
    assert bent(lesson_like("like llama 3")) == ()


@pytest.mark.parametrize(
    ("option", "headings"),
    [
        (
            "like gemma 2",
            ["The norm of what attention adds", "The first residual", "The second norm"],
        ),
        ("like olmo 2", ["The norm of what attention adds", "The first residual"]),
        ("like granite", ["The first residual", "The second norm"]),
        ("like gpt-j", ["The first residual"]),
    ],
)
def test_norms_are_shown_where_they_stand(option, headings):
    told = [heading.text for heading in of_kind(block(lesson_like(option)), Heading)]
    assert told[: told.index("The feed-forward network")] == headings


def test_a_gate_multiplies_what_is_beside_it():
    lesson = lesson_like("like llama 3")
    said = words(block(lesson))
    post = lesson.inside("mlp.post").values[-1]
    assert f"stands in column {np.abs(post).argmax()}" in said
    assert Heading("A gate, activated by SiLU", 3) in block(lesson)
