"""The views of attention hold together as the mathematics does, for every head."""

import numpy as np
import pytest

from pellucid.views.scene import Flow
from tests.views.catalogue.given import trace_of, view

MODELS = ("baby-groot", "as it is", "grouped heads", "one key head", "wide heads", "post norm")


def heads(trace):
    return range(trace.config.n_head)


@pytest.mark.parametrize("name", MODELS)
def test_weights_times_input_are_the_queries_keys_and_values_of_the_same_head(name):
    trace = trace_of(name)
    entering = trace[trace.graph.node("blocks.0.attn.q_flat").inputs[0]].values
    for head in heads(trace):
        (weights,) = view("projection_weights", trace, head=head)
        (made,) = view("queries_keys_values", trace, head=head)
        for letter, weight, vectors in zip("qkv", weights.blocks, made.blocks, strict=True):
            columns = [int(label) for label in weight.columns.labels]
            bias = trace[f"blocks.0.attn.b_{letter}"].values[columns]
            assert np.allclose(entering @ weight.values + bias, vectors.values)


@pytest.mark.parametrize("name", MODELS)
def test_a_head_s_scores_are_its_own_queries_times_the_keys_it_reads(name):
    trace = trace_of(name)
    for head in heads(trace):
        (made,) = view("queries_keys_values", trace, head=head)
        queries, keys, _ = (matrix.values for matrix in made.blocks)
        (scores,) = view("scores", trace, head=head)
        assert np.allclose(queries @ keys.T / np.sqrt(trace.config.d_head), scores.values)


@pytest.mark.parametrize("name", MODELS)
def test_the_pattern_times_the_values_is_the_mixture(name):
    trace = trace_of(name)
    for head in heads(trace):
        (row,) = view("mixture", trace, head=head)
        pattern, values, mixed = (matrix.values for matrix in row.blocks)
        assert np.allclose(pattern @ values, mixed)
        assert np.array_equal(pattern, trace["blocks.0.attn.pattern"].values[head])
        assert row.blocks[1].limit == row.blocks[2].limit


def test_masked_scores_are_the_scores_with_the_future_at_minus_infinity():
    trace = trace_of("as it is")
    (scores,), (masked,) = view("scores", trace, head=2), view("masked_scores", trace, head=2)
    future = np.triu(np.ones_like(scores.values, dtype=bool), 1)
    assert np.isneginf(masked.values[future]).all()
    assert np.array_equal(masked.values[~future], scores.values[~future])


def test_the_flow_has_the_pattern_s_numbers_tokens_and_name():
    trace = trace_of("baby-groot")
    (pattern,), (flow,) = view("pattern", trace), view("flow", trace)
    assert isinstance(flow, Flow)
    assert np.array_equal(flow.weights, pattern.values)
    assert flow.targets.labels == flow.sources.labels == trace.tokens
    assert flow.name == pattern.name == "blocks.0.attn.pattern"
    assert pattern.kind == "probability"
