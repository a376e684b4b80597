"""Part 4: attention."""

import re

import numpy as np
import pytest

from pellucid.model.model import Model
from pellucid.tour.attention import attention, products, products_of_score, scores, shares
from pellucid.views.scene import Heading, Matrix
from tests.small_models import SMALL, WORDS
from tests.tour.conftest import lesson_of
from tests.tour.scenes import of_kind, words


def names(blocks):
    return [matrix.name.removeprefix("blocks.0.") for matrix in of_kind(blocks, Matrix)]


def test_the_matrices_come_in_the_order_in_which_they_are_computed(any_lesson):
    assert names(attention(any_lesson)) == [
        "attn.w_q",
        "attn.w_k",
        "attn.w_v",
        "attn.q",
        "attn.k",
        "attn.v",
        "attn.scores",
        "attn.masked_scores",
        "attn.pattern",
        "attn.pattern",
        "attn.values",
        "attn.z",
    ]


def test_the_products_make_the_score(any_lesson):
    query, key = any_lesson.look
    score = any_lesson.inside("attn.scores").values[0, query, key]
    found = products(any_lesson)
    assert found.sum() / np.sqrt(8) == pytest.approx(score, abs=1e-6)
    assert [value for _, value in products_of_score(any_lesson).items] == found.tolist()
    said = words(scores(any_lesson))
    assert f"add up to {found.sum():.3f}" in said
    assert f"that is {score:.3f}, the score in the matrix" in said


def test_the_worked_query_is_the_models(lesson):
    place = lesson.look[0]
    row, weights = lesson.trace["embed.out"].values[place], lesson.inside("attn.w_q").values[:, 0]
    said = words(attention(lesson))
    assert f"{row[0]:.3f} × {weights[0]:.3f} = {row[0] * weights[0]:.3f}" in said
    total = row @ weights + lesson.inside("attn.b_q").values[0]
    assert re.search(rf"The first number of the query of \S+ is \[?{total:.3f}\b", said)


def test_the_scores_above_the_diagonal_are_counted(any_lesson):
    size = len(any_lesson.trace.tokens)
    shut = size * (size - 1) // 2
    said = words(attention(any_lesson))
    assert re.search(rf"Of {size * size} scores? {shut} stands? above the diagonal", said)


def test_shares_in_words_add_up_to_all(any_lesson):
    for query in range(len(any_lesson.trace.tokens)):
        said = [
            float(share) for share in re.findall(r"[\[ <>]([\d.]+)%", shares(any_lesson, query))
        ]
        assert sum(said) == pytest.approx(100, abs=0.3)


def test_of_a_long_row_the_largest_shares_are_named_and_the_rest_is_added_up():
    lesson = lesson_of("oak elm ash fir bud", model=Model.from_config(SMALL, WORDS, scheme="torch"))
    row = lesson.inside("attn.pattern").values[0, -1]
    rest = np.sort(row)[:2].sum()
    assert shares(lesson, 5).endswith(f" and {100 * rest:.1f}% to the other 2")


def test_no_word_is_taken_for_granted():
    said = words(attention(lesson_of("groot likes")))
    assert '"am"' not in said
    assert '"i"' not in said


def test_a_pre_norm_model_begins_with_its_norm_and_one_with_a_projection_ends_with_it():
    lesson = lesson_of("oak elm", model=Model.from_config(SMALL, WORDS, scheme="torch"))
    blocks = attention(lesson)
    assert blocks[0] == Heading("The first norm", 2)
    assert names(blocks)[-1] == "attn.out"
    assert "cut into 4 heads of 2 columns" in words(blocks)


def test_grouped_heads_look_with_the_right_key():
    shape = SMALL.replace(n_kv_head=2)
    lesson = lesson_of("oak elm ash", model=Model.from_config(shape, WORDS, scheme="torch"))
    query, key = lesson.look
    score = lesson.inside("attn.scores").values[0, query, key]
    assert products(lesson).sum() / np.sqrt(2) == pytest.approx(score, abs=1e-6)
