"""What comes next, before and after: both distributions, and what moved between them."""

from dataclasses import replace

import numpy as np
import pytest

import pellucid
from pellucid.trace.prediction_shift import prediction_shift
from pellucid.views import terminal
from pellucid.views.numbers import percent
from pellucid.views.prediction_shift import STILL, points, shift_blocks, titled
from pellucid.views.scene import Bars, Prose, Row, Table
from tests.small_models import WORDS, small_model

A = small_model(tokenizer=WORDS).trace("ash bud elm")
B = small_model(seed=1, tokenizer=WORDS).trace("ash bud elm")


def shifted(a, b):
    """How the prediction moved, of runs that have one."""
    found = prediction_shift(a, b)
    assert found is not None
    return found


def said(shift, **names):
    """What is said above the tokens, in one line."""
    return " ".join(terminal.to_text(shift_blocks(shift, **names)[0]).split())


SHIFT = shifted(A, B)


def test_the_likeliest_of_both_stand_beside_each_other_and_the_movers_below():
    words, row, table = shift_blocks(SHIFT)
    assert isinstance(words, Prose)
    assert isinstance(row, Row)
    before, after = row.blocks
    assert isinstance(before, Bars)
    assert isinstance(after, Bars)
    assert (before.title, after.title) == ("Before", "After")
    assert before.items == tuple((each.token, each.before) for each in SHIFT.before)
    assert after.items == tuple((each.token, each.after) for each in SHIFT.after)
    assert before.limit == after.limit == 1.0
    assert isinstance(table, Table)
    for cells, each in zip(table.rows, SHIFT.movers, strict=False):
        numbers = percent(each.before), percent(each.after), points(each.change)
        assert cells == (each.token, *numbers)


def test_words_say_how_far_and_whether_another_token_is_the_likeliest():
    first, then = SHIFT.before[0], SHIFT.after[0]
    assert said(SHIFT) == (
        f"After “<START> ash bud elm”: KL(before ‖ after) is {SHIFT.kl:.3g} nats. The likeliest is "
        f"{first.token} before ({percent(first.before)}) and {then.token} after "
        f"({percent(then.after)})."
    )
    stays = said(shifted(A, A), before="a", after="b")
    share = percent(first.before)
    assert f"KL(a ‖ b) is 0 nats. {first.token} stays the likeliest: {share} in a, " in stays


def test_where_nothing_moved_it_says_so_instead_of_a_table():
    assert shift_blocks(shifted(A, A))[-1] == Prose(STILL)


def test_two_texts_are_told_by_their_words():
    other = small_model(tokenizer=WORDS).trace("ash fir")
    row = shift_blocks(shifted(A, other), before="a", after="b")[1]
    assert isinstance(row, Row)
    titles = [block.title for block in row.blocks if isinstance(block, Bars)]
    assert titles == ["a: “<START> ash bud elm”", "b: “<START> ash fir”"]
    # Of long texts the end is quoted, and that may be the same.
    alike = replace(shifted(A, other), text=("x",) * 99, text_in_b=("x",) * 98)
    assert titled(alike, "a", "b") == ("a", "b")


@pytest.mark.parametrize(
    ("change", "text"),
    [(0.219, "+21.9"), (-0.113, "−11.3"), (1.0, "+100.0"), (0.0001, "+<0.1"), (-1e-9, "−<0.1")],
)
def test_points_have_their_sign(change, text):
    assert points(change) == text


def test_tokens_of_any_kind_are_text():
    vocabulary = list(A.vocabulary)
    vocabulary[SHIFT.before[0].id] = "`**x**`\n[a](b)"
    shift = shifted(replace(A, vocabulary=tuple(vocabulary)), B)
    assert "`**x**`↵[a](b) before (" in said(shift)


def test_what_is_no_number_is_said_too():
    spoilt = np.full_like(A.values["logits"], np.nan)
    shift = shifted(A, replace(A, values={**A.values, "logits": spoilt}))
    assert "after: its logits are NaN, or all −∞." in said(shift)


def test_where_no_token_has_a_probability_that_is_said_and_nothing_is_compared():
    model = small_model(tokenizer=WORDS)
    shut = model.trace("ash bud elm", edits=[pellucid.set_to("logits", -np.inf)])
    blocks = shift_blocks(shifted(model.trace("ash bud elm"), shut))
    assert len(blocks) == 1
    assert said(shifted(A, shut)) == (
        "No token has a probability after “<START> ash bud elm” after: its logits are NaN, or all "
        "−∞."
    )
    assert "in a and in b" in said(shifted(shut, shut), before="a", after="b")
