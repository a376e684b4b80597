"""Additions add up, and norms level what they say they level."""

import numpy as np
import pytest

from pellucid.model.model import Model
from pellucid.views.catalogue.block import MOST_BARS
from pellucid.views.scene import Bars, Curve
from tests.small_models import SMALL, random_parameters, small_model
from tests.traces import MODELS
from tests.views.catalogue.given import trace_of, view


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("residual", ["first_residual", "second_residual"])
def test_the_last_matrix_of_a_residual_is_the_sum_of_the_others(name, residual):
    if residual == "second_residual" and not trace_of(name).config.mlp:
        return
    (row,) = view(residual, trace_of(name), block=-1)
    before, added, after = row.blocks
    assert np.array_equal(before.values + added.values, after.values)
    assert added.title.startswith("+ ")
    assert after.title.startswith("= ")
    assert before.rows.labels == after.rows.labels == trace_of(name).tokens


@pytest.mark.parametrize("name", ["baby-groot", "as it is", "large norm epsilon", "no norm bias"])
@pytest.mark.parametrize("norm", ["first_norm", "second_norm", "final_norm"])
def test_a_norm_shows_the_means_and_deviations_of_what_it_reads(name, norm):
    trace = trace_of(name)
    if norm == "final_norm" and not trace.config.final_norm:
        return
    read, measured, levelled, given_on = view(norm, trace)
    means, deviations = (np.array([n for _, n in bars.items]) for bars in measured.blocks)
    epsilon = trace.config.norm_epsilon
    assert np.allclose(means, read.values.mean(axis=1))
    assert np.allclose(deviations, np.sqrt(read.values.var(axis=1) + epsilon))
    assert np.allclose(levelled.values, (read.values - means[:, None]) / deviations[:, None])
    name = given_on.name
    gain, shift = trace[f"{name}.gamma"].values, 0.0
    if trace.config.norm_bias:
        shift = trace[f"{name}.beta"].values
    assert np.allclose(given_on.values, levelled.values * gain + shift)


def test_many_tokens_are_measured_by_lines():
    model = small_model()
    few = model.trace(ids=[1, 2, 3])
    (_, measured, *_) = view("first_norm", few)
    assert all(isinstance(part, Bars) for part in measured.blocks)
    long = small_model()
    config = long.config.replace(block_size=MOST_BARS + 1)
    trace = type(model).from_config(config).trace(ids=[1] * (MOST_BARS + 1))
    (_, measured, *_) = view("first_norm", trace)
    assert all(isinstance(part, Curve) for part in measured.blocks)
    assert np.array_equal(measured.blocks[0].series[0].y, trace["blocks.0.norm1.mean"].values)


def test_a_vector_too_large_to_be_squared_has_no_deviation():
    parameters = random_parameters(SMALL)
    parameters = {name: 1e300 * values for name, values in parameters.items()}
    with np.errstate(all="ignore"):
        trace = Model(SMALL, parameters).trace(ids=[1, 2])
    _, row, *_ = view("first_norm", trace)
    assert [number for _, number in row.blocks[1].items] == [np.inf] * 2
