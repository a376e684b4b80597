"""From token ids and parameters alone, upwards in float64, every number of a run comes out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces import MODELS, trace_of

PART = 1e-12
"""How far off a number may be, relative to the sizes of what it is the sum of."""


def assert_from_leaves(explanation, value):
    """Working up from the leaves gives `value`, to rounding in float64."""
    error = abs(explanation.from_leaves() - value)
    assert explanation.from_leaves() == value or error <= PART * (1 + explanation.derivation.size())


@pytest.mark.parametrize("name", MODELS)
def test_a_float32_run_leads_down_to_what_gives_the_float64_run(name):
    positions = 2 if name == "lesson-3" else 3
    single, double = (trace_of(name, dtype, positions) for dtype in ("float32", "float64"))
    scales = [name for name in single.names if name.endswith((".rstd", ".rrms"))]
    for tensor in ("logits", "loss", "blocks.0.attn.pattern", scales[0]):
        for cell in np.ndindex(single[tensor].shape):
            assert_from_leaves(single.explainer.value(tensor, cell), double[tensor].values[cell])


@pytest.mark.parametrize("name", ["baby-groot", "four heads", "post norm", "tied head"])
def test_gradients_too_come_out_of_ids_and_parameters_alone(name):
    single, double = (trace_of(name, dtype, 3) for dtype in ("float32", "float64"))
    for tensor in ("logits", "blocks.0.attn.w_q", "blocks.0.norm1.gamma", "token_embedding"):
        gradient = single.gradients[tensor]
        for place in np.linspace(0, gradient.size - 1, 20).astype(int):
            cell = tuple(int(i) for i in np.unravel_index(place, gradient.shape))
            explanation = single.explainer.gradient(tensor, cell)
            assert_from_leaves(explanation, double.gradients[tensor][cell])


@given(data=st.data())
@settings(max_examples=20)
def test_stored_numbers_in_between_are_not_looked_at(data):
    trace = trace_of("baby-groot", "float32", 3)
    explanation = trace.explain("logits", position=2, vocab=data.draw(st.integers(0, 23)))
    close, rough = explanation.from_leaves(), explanation.recomputed
    assert close != rough
    assert abs(close - rough) < 1e-4 * abs(rough)


def test_a_leaf_is_itself():
    trace = trace_of("as it is")
    assert trace.explain("ids", position=1).from_leaves() == trace.ids[1]
    assert trace.explain("head.b", vocab=1).from_leaves() == trace["head.b"].values[1]
    assert trace.explain("blocks.0.attn.masked_scores", head=0, query=0, key=1).from_leaves() == (
        -np.inf
    )
