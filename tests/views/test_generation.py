"""A step of a generation as blocks."""

import numpy as np
import pytest

from pellucid.generation.sampling import Sampling
from pellucid.views.generation import (
    candidate_table,
    drawing,
    filter_table,
    reading,
    step_blocks,
)
from pellucid.views.scene import Prose
from tests.generation.small_generations import run

LOGITS = np.log([0.4, 0.3, 0.1, 0.08, 0.07, 0.05])
NAMES = "abcdefg"


def steps(count=1, *, logits=LOGITS, stop_ids=(), never=(), seed=0, **sampling):
    return run(
        lambda window: logits,
        [0, 1],
        block_size=3,
        max_new_tokens=count,
        sampling=Sampling(**sampling),
        seed=seed,
        stop_ids=stop_ids,
        never=never,
        label=NAMES.__getitem__,
    )


def test_the_five_best_are_listed_and_the_choice_is_marked():
    (step,) = steps()
    rows = candidate_table(step).rows
    assert [row[1] for row in rows] == ["a", "b", "c", "d", "e"]
    assert [row[-1] for row in rows] == ["chosen", "", "", "", ""]
    assert rows[0][4] == 1  # A greedy choice is certain.


def test_a_choice_below_the_five_best_is_listed_too():
    many = (step for seed in range(99) for step in steps(seed=seed, temperature=9.0))
    step = next(step for step in many if step.id == 5)
    assert candidate_table(step).rows[5][1] == "f"
    assert candidate_table(step).rows[5][-1] == "chosen"


def test_each_filter_says_what_it_removed():
    (step,) = steps(temperature=1.0, top_k=4, top_p=0.75)
    rows = filter_table(step).rows
    assert [row[:3] for row in rows] == [
        ("temperature", "1", 0),
        ("top_k", "4", 2),
        ("top_p", "0.75", 2),
    ]
    assert [row[4] for row in rows] == ["", "e f", "c d"]
    assert [row[3] for row in rows] == pytest.approx([0, 0.12, 0.18 / 0.88])


def test_many_removed_tokens_are_named_likeliest_first():
    (step,) = steps(logits=np.concatenate([[5.0], LOGITS[::-1]]))
    _, _, removed, _, named = filter_table(step).rows[0]
    assert (removed, named) == (6, "g f e d c …")


def test_the_window_and_its_slide_are_told():
    told = [reading(step) for step in steps(4)]
    assert told == [
        "Read at position 1 of `a b`.",
        "Read at position 2 of `a b a`.",
        "Read at position 2 of `b a a`. 1 earlier token has slid out of the context, so that "
        "every position was worked out anew.",
        "Read at position 2 of `a a a`. 2 earlier tokens have slid out of the context, so that "
        "every position was worked out anew.",
    ]


def test_of_a_long_window_the_end_is_shown():
    (step,) = run(lambda window: LOGITS, [0] * 40, block_size=99, max_new_tokens=1)
    assert reading(step) == f"Read at position 39 of `… {' '.join(['0'] * 24)}`."
    (step,) = run(lambda window: LOGITS, [0] * 24, block_size=99, max_new_tokens=1)
    assert "…" not in reading(step)


def test_the_last_step_says_why_it_is_the_last():
    shown = [step_blocks(step) for step in (*steps(2), *steps(9, stop_ids={0}))]
    assert [len(blocks) for blocks in shown] == [5, 6, 6]
    assert shown[1][-1] == Prose("This is the last token that was asked for.")
    assert shown[2][-1] == Prose("It is the end token: the text ends here.")


def test_scores_stand_as_the_model_gave_them_and_as_penalty_and_temperature_left_them():
    (step,) = steps(temperature=2.0, repetition_penalty=1.5)
    table = candidate_table(step)
    assert table.columns[2:6] == ("logit", "probability", "after penalty", "after temperature")
    assert table.note is not None
    logits, penalized, cooled = np.array([(row[2], row[4], row[5]) for row in table.rows]).T
    # Two tokens are the prompt's, which the text has already; their logits are negative.
    penalty = [1.5 if row[1] in ("a", "b") else 1 for row in table.rows]
    np.testing.assert_allclose(penalized, logits * penalty)
    np.testing.assert_allclose(cooled, (penalized - penalized.max()) / 2)


def test_a_stage_that_changes_no_score_has_no_column():
    for (step,) in (steps(), steps(temperature=1.0), steps(repetition_penalty=1.0)):
        table = candidate_table(step)
        assert table.columns == ("id", "token", "logit", "probability", "drawn with", "")
        assert table.note is None


def test_tokens_that_are_never_chosen_are_named_with_their_probability():
    (step,) = steps(never={2, 5})
    name, setting, removed, probability, named = filter_table(step).rows[0]
    assert (name, setting, removed, named) == ("never", "", 2, "c f")
    assert probability == pytest.approx(0.15)


def test_the_draw_is_told_with_the_share_that_it_fell_into():
    (step,) = steps(temperature=1.0, top_k=3, seed=1)
    assert step.uniform is not None
    share = step.filtered.probabilities
    low, high = share[: step.id].sum(), share[: step.id + 1].sum()
    assert low <= step.uniform < high
    said = f"{step.uniform:.6f} falls to `{step.token}`, which holds {low:.6f} to {high:.6f}"
    assert said in drawing(step)


def test_a_greedy_choice_is_told_as_one():
    (step,) = steps()
    assert drawing(step) == "Greedy: `a` is the likeliest that is left."
