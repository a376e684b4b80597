"""Gradients are held to what rounding allows, and to no less."""

from dataclasses import replace

import numpy as np
import pytest

from pellucid.model.folder import load
from pellucid.trace.finite_differences import gradient_tolerance

EXACT = "gradient as in float64"


def scaled(model, factor):
    """The same model with every parameter so many times as large."""
    arrays = {name: array * array.dtype.type(factor) for name, array in model.parameters.items()}
    return type(model)(model.config, arrays, model.tokenizer)


def test_a_target_that_is_nearly_certain_leaves_gradients_that_hold():
    trace = load("baby-groot").trace("i am", target="groot")
    assert trace.loss < 1e-3
    assert trace.check().holds


def test_the_surer_the_target_the_more_is_allowed():
    trace = load("baby-groot").trace("i am", target="groot")
    sure, unsure = np.full((1, 3, 24), 1e-6), np.full((1, 3, 24), 0.5)
    assert gradient_tolerance(trace, unsure) == 1e-4
    assert gradient_tolerance(trace, sure) == pytest.approx(32 * 2**-24 / 1e-6, rel=1e-2)


@pytest.mark.parametrize("factor", [1e-3, 0.1, 3.0, 10.0])
def test_large_and_small_weights_hold(factor):
    trace = scaled(load("baby-groot"), factor).trace("i am groot", target="next")
    assert trace.check(cells=64).holds


def test_a_gradient_that_is_off_by_a_hundredth_is_seen():
    trace = load("baby-groot").trace("i am groot", target="next")
    wrong = {"head.w": trace.gradients["head.w"] * np.float32(1.01)}
    changed = replace(trace, gradients={**trace.gradients, **wrong}, memory={})
    missed = [f for f in changed.check().findings if f.check == EXACT and not f.holds]
    assert [finding.tensor for finding in missed] == ["head.w"]
