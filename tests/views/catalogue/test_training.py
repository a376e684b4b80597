"""The loss as it fell, and every learned number counted once."""

import numpy as np
import pytest

import pellucid
from pellucid.text.corpora import stories
from pellucid.views.catalogue import training
from tests.views.catalogue.given import given, run, trace_of, view


def test_the_curve_has_every_epoch_and_the_floor():
    (curve,) = view("loss_curve", run())
    every, smooth = curve.series
    assert every.y.tolist() == [epoch.loss for epoch in run().history]
    assert every.x.tolist() == [epoch.number for epoch in run().history]
    assert [(level.name, level.y) for level in curve.levels] == [("floor", run().floor)]
    assert "epochs" in smooth.name
    assert len(smooth.y) == len(every.y)


def test_a_moving_mean_keeps_straight_lines_and_both_ends():
    line = np.linspace(5.0, -2.0, 40)
    assert np.allclose(training.moving_mean(line, 4), line)
    noisy = np.random.default_rng(0).standard_normal(40)
    mean = training.moving_mean(noisy, 4)
    assert mean[20] == pytest.approx(noisy[16:25].mean())
    assert mean[[0, -1]] == pytest.approx(noisy[[0, -1]])


def test_a_run_on_text_shows_its_steps_between_the_baselines():
    made = pellucid.train(
        stories()[:2], preset="nano", tokenizer="char", steps=3, batch_size=2, block_size=8
    )
    (curve,) = view("loss_curve", made)
    assert curve.series[0].y.tolist() == [step.loss for step in made.history]
    assert len(curve.levels) == 3


@pytest.mark.parametrize("name", ["baby-groot", "as it is", "tied head", "no bias at all"])
def test_histograms_count_every_parameter_and_every_derivative_once(name):
    trace = trace_of(name)
    n = sum(tensor.values.size for tensor in trace.parameters.values())
    (sizes,), (slopes,) = (
        view("parameter_histogram", trace),
        view("gradient_histogram", trace),
    )
    for histogram in (sizes, slopes):
        assert sum(each.total for each in histogram.distributions) == n
        assert f"{n:,}" in histogram.title
    assert f"{trace.loss:.4f} nats" in slopes.title


def test_the_counts_are_of_the_numbers_between_the_edges():
    (trace,) = given("trace")
    (histogram,) = view("parameter_histogram", trace)
    embeddings = histogram.distributions[0]
    numbers = np.concatenate(
        [trace[f"{name}_embedding"].values.ravel() for name in ("token", "position")]
    )
    assert embeddings.name == "embeddings"
    assert embeddings.counts.tolist() == np.histogram(numbers, histogram.edges)[0].tolist()
