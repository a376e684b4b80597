"""The network that is drawn computes what it shows."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from tests.traces import MODELS
from tests.views.catalogue.given import given, trace_of, view

ATTENTION_ONLY = ("attention only", "attention only, post norm")


@pytest.mark.parametrize("name", [name for name in MODELS if name not in ATTENTION_ONLY])
def test_the_lines_of_the_network_make_its_units_of_one_another(name):
    trace = trace_of(name)
    for position in range(len(trace.ids)):
        (network,) = view("network", trace, position=position)
        entering, hidden, leaving = (layer.values for layer in network.layers)
        w_in, w_out = network.weights
        b_in, b_out = 0.0, 0.0
        if trace.config.mlp_bias:
            b_in, b_out = (trace[f"blocks.0.mlp.b_{end}"].values for end in ("in", "out"))
        pre = trace["blocks.0.mlp.pre"].values[position]
        assert np.allclose(entering @ w_in + b_in, pre)
        assert np.array_equal(hidden, trace["blocks.0.mlp.post"].values[position])
        assert np.allclose(hidden @ w_out + b_out, leaving)


@pytest.mark.parametrize("name", ATTENTION_ONLY)
@pytest.mark.parametrize("of_networks", ["network", "feed_forward"])
def test_a_model_that_only_attends_has_no_network(name, of_networks):
    with pytest.raises(PellucidError, match="no feed-forward network"):
        view(of_networks, trace_of(name))


def test_the_network_names_its_token_and_place():
    (network,) = view("network", *given("trace"))
    assert "“groot” at position 3" in network.title
    assert [layer.title for layer in network.layers] == ["input", "hidden", "output"]


def test_the_matrices_follow_each_other_through_the_network():
    (trace,) = given("trace")
    pre, post, out = view("feed_forward", trace)
    assert np.array_equal(np.maximum(pre.values, 0), post.values)
    assert np.array_equal(out.values, trace["blocks.0.mlp.out"].values)
    assert post.title == "Activated by relu"
