"""The losses of a run as a curve."""

import numpy as np
import pytest

from pellucid.text.baselines import Baselines
from pellucid.training.metrics import Metrics
from pellucid.views.loss_curve import PARTS, loss_curve

BASELINES = Baselines(uniform=4.0, unigram=3.0, bigram=2.0)


def points(series):
    return list(zip(series.x, series.y, strict=True))


def test_a_short_run_is_drawn_step_by_step():
    curve = loss_curve(Metrics(((1, 3.5), (2, 3.0)), ((0, 4.1), (2, 2.9))), BASELINES)
    training, validation = curve.series
    assert points(training) == [(1, 3.5), (2, 3.0)]
    assert points(validation) == [(0, 4.1), (2, 2.9)]
    assert curve.note is None


def test_the_axes_and_the_baselines_are_named():
    curve = loss_curve(Metrics(((1, 3.5),), ()), BASELINES)
    assert (curve.x_label, curve.y_label) == ("step", "nats per token")
    assert [(level.name, level.y) for level in curve.levels] == [
        ("uniform", 4.0),
        ("unigram", 3.0),
        ("bigram", 2.0),
    ]
    assert [series.name for series in curve.series] == ["training"]


@pytest.mark.parametrize("n", [PARTS + 1, 1000])
def test_a_long_run_is_drawn_by_means_that_leave_no_step_out(n):
    losses = np.random.default_rng(0).uniform(1, 4, n)
    steps = tuple((step, float(loss)) for step, loss in enumerate(losses, start=1))
    (training,) = loss_curve(Metrics(steps, ()), BASELINES).series
    assert len(training.y) == PARTS
    sizes = [len(part) for part in np.array_split(losses, PARTS)]
    assert np.dot(training.y, sizes) == pytest.approx(losses.sum())
    assert loss_curve(Metrics(steps, ()), BASELINES).note is not None
