"""Part 2: the loss and the training."""

from math import log

import numpy as np
import pytest

from pellucid.model.model import Model
from pellucid.tour.training import curve, loss, training
from pellucid.views.scene import Curve
from tests.small_models import SMALL, WORDS
from tests.tour.conftest import lesson_of
from tests.tour.scenes import of_kind, table, words


def test_the_loss_of_the_prompt_is_minus_the_log_of_what_was_given_to_the_truth(lesson):
    rows = table(loss(lesson), "after", "comes").rows
    shares = lesson.trace["probs"].values
    for place, (token, follower, share, surprise) in enumerate(rows):
        assert (token, follower) == (*lesson.trace.tokens, "<END>")[place : place + 2]
        assert share == pytest.approx(shares[place, lesson.followers[place]], rel=1e-5)
        assert surprise == pytest.approx(-log(share), abs=1e-6)
    mean = np.mean([row[-1] for row in rows])
    assert f"The mean is {mean:.4f} nats" in words(loss(lesson))


def test_a_whole_sentence_is_asked_for_its_end_too(lesson):
    rows = table(loss(lesson), "after", "comes").rows
    # As often as part 1 says: "i am groot" asks 4 times.
    assert [row[:2] for row in rows][-1] == ("groot", "<END>")
    assert len(rows) == 4
    assert "nothing is asked" not in words(loss(lesson))


def test_a_beginning_is_not_asked_for_what_it_does_not_say(lesson):
    beginning = lesson_of("groot likes", model=lesson.model)
    assert len(table(loss(beginning), "after", "comes").rows) == 1 + 1
    assert 'After "likes" nothing is asked' in words(loss(beginning))


def test_the_loss_of_a_beginning_is_its_traces():
    lesson = lesson_of("groot likes")
    mean = lesson.model.trace("groot likes", target="next").loss
    assert f"The mean is {mean:.4f} nats" in words(loss(lesson))


def test_a_token_held_impossible_costs_what_it_costs():
    model = Model.from_config(SMALL, WORDS)
    bias = model.parameters["head.b"].copy()
    # e to the power of 800 is more than a float64 can hold.
    bias[WORDS.encode("oak")[0]] = 800
    sure = Model(model.config, {**model.parameters, "head.b": bias}, WORDS)
    rows = table(loss(lesson_of("oak elm", model=sure)), "after", "comes").rows
    assert rows[1][2] == 0
    assert 790 < rows[1][3] < 810


def test_a_lone_token_has_no_loss():
    assert "What to see" not in words(loss(lesson_of("")))


def test_the_curve_is_the_history_over_the_floor(any_lesson):
    run = any_lesson.trials.run
    (drawn,) = of_kind(curve(run), Curve)
    assert drawn.series[0].y.tolist() == [epoch.loss for epoch in run.history]
    assert drawn.series[0].x.tolist() == [epoch.number for epoch in run.history]
    assert drawn.levels[0].y == run.floor == any_lesson.corpus.floor


def test_the_table_runs_from_the_first_epoch_to_the_last(lesson):
    run = lesson.trials.run
    rows = table(curve(run), "epoch", "loss").rows
    assert (rows[0][0], rows[-1][0]) == (1, len(run.history))
    for number, said, above, _ in rows:
        assert said == f"{run.history[number - 1].loss:.4f}"
        assert above == f"{run.history[number - 1].loss - run.floor:.4f}"


def test_the_ending_is_the_finished_models(lesson):
    run = lesson.trials.run
    said = words(curve(run))
    above = run.loss - run.floor
    assert f"The finished model's is {run.loss:.4f} nats, {above:.4f} nats above the floor" in said
    assert run.loss <= 0.740
    assert "200 epochs" in said
    assert "an optimizer decides, here AdamW" in said


def test_a_given_model_was_trained_by_somebody_else(given):
    blocks = training(given)
    assert "was given to the tour, not trained in it" in words(blocks)
    assert not of_kind(blocks, Curve)
