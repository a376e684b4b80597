"""A step of a generation as blocks."""

import numpy as np
import pytest

from pellucid.generation.loop import generate
from pellucid.generation.sampling import Sampling
from pellucid.views.generation import candidate_table, filter_table, reading, step_blocks
from pellucid.views.scene import Prose

LOGITS = np.log([0.4, 0.3, 0.1, 0.08, 0.07, 0.05])
NAMES = "abcdefg"


def steps(count=1, *, logits=LOGITS, stop_ids=(), seed=0, **sampling):
    return list(
        generate(
            lambda ids: logits,
            [0, 1],
            block_size=3,
            max_new_tokens=count,
            sampling=Sampling(**sampling),
            seed=seed,
            stop_ids=stop_ids,
            label=NAMES.__getitem__,
        )
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
    rows = filter_table(step, NAMES.__getitem__).rows
    assert [row[:3] for row in rows] == [
        ("temperature", "1", 0),
        ("top_k", "4", 2),
        ("top_p", "0.75", 2),
    ]
    assert [row[4] for row in rows] == ["", "e f", "c d"]
    assert [row[3] for row in rows] == pytest.approx([0, 0.12, 0.18 / 0.88])


def test_many_removed_tokens_are_named_likeliest_first():
    (step,) = steps(logits=np.concatenate([[5.0], LOGITS[::-1]]))
    _, _, removed, _, named = filter_table(step, NAMES.__getitem__).rows[0]
    assert (removed, named) == (6, "g f e d c …")


def test_the_window_and_its_slide_are_told():
    told = [reading(step, NAMES.__getitem__) for step in steps(4)]
    assert told == [
        "Read at position 1 of `a b`.",
        "Read at position 2 of `a b a`.",
        "Read at position 2 of `b a a`. 1 earlier token has slid out of the context.",
        "Read at position 2 of `a a a`. 2 earlier tokens have slid out of the context.",
    ]


def test_the_last_step_says_why_it_is_the_last():
    shown = [
        step_blocks(1, step, NAMES.__getitem__) for step in (*steps(2), *steps(9, stop_ids={0}))
    ]
    assert [len(blocks) for blocks in shown] == [4, 5, 5]
    assert shown[1][-1] == Prose("This is the last token that was asked for.")
    assert shown[2][-1] == Prose("It is the end token: the text ends here.")
