"""A network's weights join its layers, and a reduced one keeps the weights of its units."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.views.scene import Axis, Layer, Network


def layer(values, name=None, labels=None):
    return Layer("L", np.asarray(values, dtype=float), Axis("d_mlp", labels), name)


@st.composite
def networks(draw):
    sizes = draw(st.lists(st.integers(1, 7), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    layers = tuple(
        layer(np.maximum(rng.normal(size=size), 0), f"layer{i}") for i, size in enumerate(sizes)
    )
    joins = pairwise(sizes)
    return Network("N", layers, tuple(rng.normal(size=shape) for shape in joins))


def test_weights_fit_the_layers():
    with pytest.raises(ValueError, match=r"\[\(2, 2\)\] do not join layers of \[2, 3\] units"):
        Network("N", (layer([1, 2]), layer([1, 2, 3])), (np.ones((2, 2)),))
    with pytest.raises(ValueError, match="do not join"):
        Network("N", (layer([1]), layer([1])), ())


def test_a_layer_has_a_label_for_each_unit():
    with pytest.raises(ValueError, match="1 labels for 2 indices of d_mlp"):
        layer([1, 2], labels=("a",))
    with pytest.raises(ValueError, match="1 dim, these values have 2"):
        Layer("L", np.ones((2, 2)), Axis("d_mlp"))


def test_units_are_called_by_their_labels_or_their_indices():
    assert layer([1, 2], labels=("a", "b")).labels == ("a", "b")
    assert layer([1, 2]).labels == ("0", "1")


def test_a_unit_is_off_when_it_is_exactly_zero():
    assert layer([0, 1e-30, -0.0, -1, np.nan]).off.tolist() == [True, False, True, False, False]


@given(networks(), st.integers(1, 7))
def test_the_strongest_units_keep_their_numbers_and_weights(network, most):
    small = network.strongest(most)
    kept = [[int(name) for name in each.labels] for each in small.layers]
    for whole, part, places in zip(network.layers, small.layers, kept, strict=True):
        assert places == sorted(places)
        assert part.values.tolist() == whole.values[places].tolist()
        left_out = np.delete(np.abs(whole.values), places)
        assert len(places) == min(most, len(whole.values))
        assert max(left_out, default=0) <= min(np.abs(part.values))
    for place, weights in enumerate(small.weights):
        rows, columns = kept[place], kept[place + 1]
        assert weights.tolist() == network.weights[place][rows][:, columns].tolist()


def test_a_reduced_network_says_what_is_drawn_and_what_is_off():
    network = Network(
        "N", (layer([0, 2, 0, -3], "mlp.post"), layer([1])), (np.ones((4, 1)),), "A note."
    )
    assert network.strongest(2).note == (
        "Drawn, those farthest from 0: 2 of 4 units of mlp.post (2 are 0). A note."
    )


def test_a_network_that_is_small_stays_as_it_is():
    network = Network("N", (layer([0, 1]),), ())
    assert network.strongest(2) is network


def test_what_is_not_a_number_is_never_left_out():
    assert layer([5, np.nan, 7, -np.inf]).strongest(2).labels == ("1", "3")


def test_layers_share_the_beginning_of_their_names():
    names = ("blocks.0.norm1", "blocks.0.mlp.post", "blocks.0.mlp.out")
    network = Network("N", tuple(layer([1], name) for name in names), (np.ones((1, 1)),) * 2)
    assert network.shared == "blocks.0"
    assert network.names == ("norm1", "mlp.post", "mlp.out")
    unnamed = Network("N", (layer([1]), layer([1], "embed.out")), (np.ones((1, 1)),))
    assert unnamed.shared == ""
    assert unnamed.names == ("L", "embed.out")
