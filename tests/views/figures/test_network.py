"""A network as a picture: every unit has its number, every weight a line of its width."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from pellucid.views.catalogue.feed_forward import network
from pellucid.views.figures.draw import draw_figure
from pellucid.views.figures.network import MOST_UNITS
from pellucid.views.figures.sizes import SIZES
from pellucid.views.figures.theme import LIGHT
from pellucid.views.scene import Axis, Layer, Network
from tests.small_models import small_model
from tests.views.figures.looks import assert_nothing_cut, assert_nothing_overlaps


def layer(values, name="x.y", labels=None):
    return Layer("hidden", np.asarray(values, dtype=float), Axis("d_mlp", labels), name)


def relu():
    (block,) = network(small_model("relu").trace(ids=[1, 4, 2]))
    return block


def large():
    rng = np.random.default_rng(0)
    sizes = (20, 50, 20)
    layers = tuple(layer(np.maximum(rng.normal(size=size), 0)) for size in sizes)
    weights = tuple(rng.normal(size=shape) for shape in ((20, 50), (50, 20)))
    return Network("Large", layers, weights)


def units(figure):
    """Each unit's box with its name and its number, layer by layer from the left."""
    axes = figure.axes[0]
    boxes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    inside = []
    for box in boxes:
        left, low = box.get_x(), box.get_y()
        words = [
            text.get_text()
            for text in axes.texts
            if left <= text.get_position()[0] <= left + box.get_width()
            and low < text.get_position()[1] < low + box.get_height()
        ]
        inside.append((box, *words))
    return inside


def gaps(figure):
    """The lines between each two layers."""
    return [c for c in figure.axes[0].collections if isinstance(c, LineCollection)]


def legend(figure):
    """The words of the legend."""
    drawn: Any = figure.axes[0].get_legend()
    return [text.get_text() for text in drawn.get_texts()]


def test_every_unit_has_its_name_and_its_number():
    block = relu()
    expected = [
        (name, "off" if not value else f"{value:.3f}".replace("-", "−"))
        for each in block.layers
        for name, value in zip(each.labels, each.values, strict=True)
    ]
    assert [tuple(words) for _, *words in units(draw_figure(block))] == expected


def test_every_weight_is_a_line_of_its_width_and_sign_between_its_units():
    block = relu()
    figure = draw_figure(block)
    boxes = [box for box, *_ in units(figure)]
    middles = [box.get_y() + box.get_height() / 2 for box in boxes]
    collections = gaps(figure)
    heaviest = max(np.abs(weights).max() for weights in block.weights)
    widest = max(max(c.get_linewidth()) for c in collections)
    first = 0
    for weights, collection in zip(block.weights, collections, strict=True):
        rows, columns = weights.shape
        starts, ends = middles[first : first + rows], middles[first + rows : first + rows + columns]
        drawn = np.zeros(weights.shape)
        for ((_, start), (_, end)), width in zip(
            collection.get_segments(), collection.get_linewidth(), strict=True
        ):
            drawn[
                np.argmin(np.abs(np.array(starts) - start)), np.argmin(np.abs(np.array(ends) - end))
            ] = width
        np.testing.assert_allclose(drawn / widest * heaviest, np.abs(weights), rtol=1e-9)
        first += rows


def test_lines_have_the_colour_of_their_sign():
    block = Network("N", (layer([1.0]), layer([1.0, 1.0])), (np.array([[1.0, -1.0]]),))
    (collection,) = gaps(draw_figure(block))
    signs = dict(zip((0, 1), map(to_hex, collection.get_colors()), strict=True))
    assert set(signs.values()) == {LIGHT.positive, LIGHT.negative}


def test_a_unit_that_is_off_looks_so_and_its_lines_are_pale():
    block = Network("N", (layer([0.0, 1.0]), layer([2.0])), (np.array([[1.0], [1.0]]),))
    figure = draw_figure(block)
    (off, on, _) = (box for box, *_ in units(figure))
    assert off.get_linestyle() == "--"
    assert to_hex(off.get_facecolor()) == LIGHT.paper
    assert on.get_linestyle() != "--"
    (collection,) = gaps(figure)
    assert [to_hex(colour) for colour in collection.get_colors()] == [LIGHT.grid, LIGHT.positive]
    assert "off: 0" in legend(figure)


def test_the_farther_from_zero_the_fuller_the_colour():
    block = Network("N", (layer([0.5, 1.0, -1.0, np.nan]),), ())
    half, whole, below, nothing = (
        to_hex(box.get_facecolor()) for box, *_ in units(draw_figure(block))
    )
    assert (whole, below, nothing) == (LIGHT.positive, LIGHT.negative, LIGHT.not_a_number)
    assert half not in (LIGHT.paper, whole)


def test_of_a_large_network_the_strongest_units_are_drawn_and_the_note_says_so():
    figure = draw_figure(large())
    assert len(units(figure)) == 3 * MOST_UNITS
    assert any("16 of 50 units of x.y (" in text.get_text() for text in figure.axes[0].texts)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 8, 16, 50])
def test_boxes_never_lie_over_each_other(size, count):
    block = Network("N", (layer(np.arange(count) + 1.0), layer([1.0])), (np.ones((count, 1)),))
    boxes = [box.get_window_extent() for box, *_ in units(draw_figure(block, size=size))]
    assert len(boxes) == min(count, MOST_UNITS) + 1
    assert not [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])]


def test_boxes_do_not_lie_over_each_other_in_low_axes_of_the_users_own():
    axes = Figure(figsize=(6, 2)).add_subplot()
    figure = draw_figure(Network("N", (layer(np.ones(16)),), ()), ax=axes)
    boxes = [patch.get_window_extent() for patch in figure.axes[0].patches]
    assert not [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])]


def test_layers_whose_numbers_are_far_apart_have_a_scale_each_and_the_legend_says_so():
    sides = (layer([2.0, -1.0]), replace(layer([0.02, -0.02]), title="output"))
    figure = draw_figure(Network("N", sides, (np.ones((2, 2)),)))
    full, _, small, below = (to_hex(box.get_facecolor()) for box, *_ in units(figure))
    assert (full, small, below) == (LIGHT.positive, LIGHT.positive, LIGHT.negative)
    entries = legend(figure)
    assert {"hidden 2", "hidden −2", "output 0.02", "output −0.02"} <= set(entries)
    assert any("its own scale of colours" in text.get_text() for text in figure.axes[0].texts)


def test_a_layer_without_any_finite_number_has_no_scale():
    sides = (layer([9.0]), layer([np.nan]), layer([8.0]))
    figure = draw_figure(Network("N", sides, (np.ones((1, 1)),) * 2))
    assert {"unit 9", "unit −9"} <= set(legend(figure))


def test_layers_of_like_numbers_share_a_scale_even_beside_one_that_is_off():
    sides = (layer([2.0]), layer([0.0]), layer([1.0]))
    figure = draw_figure(Network("N", sides, (np.ones((1, 1)),) * 2))
    full, _, half = (to_hex(box.get_facecolor()) for box, *_ in units(figure))
    assert full == LIGHT.positive != half
    assert {"unit 2", "unit −2"} <= set(legend(figure))


@pytest.mark.parametrize(
    ("size", "theme"), [("page", "dark"), ("slide", "light"), ("paper", "light")]
)
@pytest.mark.parametrize(
    "block",
    [
        relu(),
        large(),
        Network("N", (layer([1.0]),), ()),
        Network(
            "N",
            (layer([-1.5e-30, np.inf], labels=("$x$", "w" * 5000)), layer([0])),
            (np.ones((2, 1)),),
        ),
    ],
)
def test_words_neither_overlap_nor_are_cut(block, size, theme):
    figure = draw_figure(block, theme=theme, size=size)
    assert_nothing_overlaps(figure)
    assert_nothing_cut(figure)
