"""Part 2: the loss and the training."""

from math import log

import numpy as np
import pytest

from pellucid.tour.training import curve, loss, training
from pellucid.views.scene import Curve
from tests.tour.conftest import lesson_of
from tests.tour.scenes import of_kind, table, words


def test_the_loss_of_the_prompt_is_minus_the_log_of_what_was_given_to_the_truth(lesson):
    rows = table(loss(lesson), "after", "comes").rows
    shares = lesson.trace["probs"].values
    for place, (token, follower, share, surprise) in enumerate(rows):
        assert (token, follower) == lesson.trace.tokens[place : place + 2]
        assert share == shares[place, lesson.trace.ids[place + 1]]
        assert surprise == pytest.approx(-log(share), abs=1e-6)
    mean = np.mean([row[-1] for row in rows])
    assert f"The mean is {mean:.4f} nats" in words(loss(lesson))


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


def test_a_given_model_was_trained_by_somebody_else(given):
    blocks = training(given)
    assert "came ready made" in words(blocks)
    assert not of_kind(blocks, Curve)
