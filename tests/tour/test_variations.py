"""The closing notes on the architecture, each run."""

import numpy as np
import pytest

import pellucid
from pellucid.decoder.presets import preset
from pellucid.tour.variations import heads, norms, positions, variations
from pellucid.training.recipes import default_recipe
from pellucid.views.scene import Matrix
from tests.tour.conftest import lesson_of
from tests.tour.scenes import found, of_kind, table, words

SHAPE = preset("baby-groot")


def rows_by_name(blocks, choice):
    return {row[0]: row[1:] for row in table(blocks, choice, "parameters").rows}


@pytest.mark.parametrize(
    ("note", "choice", "name", "changes"),
    [
        (heads, "heads", "1 (as here)", {}),
        (heads, "heads", "4", {"n_head": 4}),
        (norms, "norms", "pre", {"norm_position": "pre", "final_norm": True}),
        (norms, "norms", "pre, no final norm", {"norm_position": "pre"}),
        (positions, "positions", "sinusoidal", {"position": "sinusoidal"}),
        (positions, "positions", "none", {"position": "none"}),
    ],
)
def test_each_row_is_a_training_of_that_shape(lesson, note, choice, name, changes):
    shape = SHAPE.replace(**changes)
    run = pellucid.train(preset=shape, recipe=default_recipe(shape))
    row = rows_by_name(note(lesson, lesson.trials), choice)[name]
    assert row == (
        run.model.n_parameters,
        f"{run.history[49].loss:.4f}",
        f"{run.history[99].loss:.4f}",
        f"{run.loss:.4f}",
        f"{run.loss - run.floor:.4f}",
    )


def test_heads_cost_no_parameters_and_each_has_its_pattern(lesson):
    blocks = heads(lesson, lesson.trials)
    assert {row[0] for row in rows_by_name(blocks, "heads").values()} == {968}
    patterns = of_kind(blocks, Matrix)
    assert len(patterns) == 2
    assert all(np.allclose(pattern.values.sum(axis=1), 1, atol=1e-6) for pattern in patterns)
    favourites = [lesson.token(int(pattern.values[-1].argmax())) for pattern in patterns]
    said = words(blocks)
    assert f"head 0 looks most at {favourites[0]}" in said
    assert f"head 1 looks most at {favourites[1]}" in said


def test_without_positions_the_order_of_earlier_words_changes_nothing(lesson):
    rows = dict(
        table(positions(lesson, lesson.trials), "positions", "largest change of a logit").rows
    )
    assert float(rows["none"]) < 1e-5
    assert float(rows["learned (as here)"]) > 1e-3
    assert float(rows["sinusoidal"]) > 1e-3


def test_the_best_and_the_worst_of_a_note_are_named(lesson):
    said = words(norms(lesson, lesson.trials))
    rows = rows_by_name(norms(lesson, lesson.trials), "norms")
    above = {name: float(row[-1]) for name, row in rows.items()}
    best, worst = found(r'comes "(.*?)", .* stays "(.*?)",', said)
    assert above[best] == min(above.values())
    assert above[worst] == max(above.values())


def test_the_stream_of_a_pre_norm_model_is_held_by_its_final_norm_alone(lesson):
    rows = {row[0]: row[1:] for row in table(norms(lesson, lesson.trials), "place").rows}
    assert rows["leaving the block"][0] == rows["read by the head"][0]
    assert rows["leaving the block"][1] != rows["read by the head"][1]
    assert rows["entering the block"][0] == np.linalg.norm(lesson.trace["embed.out"].values[-1])


def test_a_corpus_too_short_to_swap_words_in_has_no_such_note():
    lesson = lesson_of(corpus=("hello",))
    assert "change places" not in words(variations(lesson))
    assert "What does a model notice" not in words(variations(lesson))


def test_a_given_model_is_not_varied(given):
    assert variations(given) == ()
