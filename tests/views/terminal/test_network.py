"""A network on a terminal shows its units' numbers, what is off, and its strongest weights."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.views.catalogue.feed_forward import network
from pellucid.views.scene import Axis, Layer, Network
from pellucid.views.terminal.network import MOST_LINES, MOST_UNITS, draw_network
from pellucid.views.terminal.page import Page
from tests.small_models import small_model

NUMBERS = st.just(0.0) | st.floats(width=32)


@st.composite
def networks(draw):
    sizes = draw(st.lists(st.integers(1, 40), min_size=1, max_size=3))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    layers = [
        Layer(
            draw(st.text(max_size=30)),
            np.array(draw(st.lists(NUMBERS, min_size=size, max_size=size))),
            Axis("d_mlp", draw(st.none() | st.just(tuple(map(chr, range(30, 30 + size)))))),
            draw(st.none() | st.just("blocks.0.mlp.post")),
        )
        for size in sizes
    ]
    shapes = pairwise(sizes)
    return Network("N", tuple(layers), tuple(rng.normal(size=shape) for shape in shapes), "A note.")


def layer(values, name="x.y"):
    return Layer("L", np.asarray(values, dtype=float), Axis("d_mlp"), name)


def relu(ids=(1, 4, 2)):
    (block,) = network(small_model("relu").trace(ids=list(ids)))
    return block


def plain(block, **page):
    return [line.plain.rstrip() for line in draw_network(block, Page(**page))]


@given(networks(), st.integers(40, 200), st.sampled_from(["utf-8", "ascii"]))
def test_no_line_is_wider_than_the_page(block, width, encoding):
    for line in draw_network(block, Page(width=width, encoding=encoding)):
        assert line.cell_len <= width
        assert "\n" not in line.plain


@pytest.mark.parametrize("width", [80, 160])
def test_every_unit_has_its_own_number(width):
    block = relu()
    numbers = re.findall(
        r"(?<!\S)(\d+) +(-?\d\.\d{3}|off)(?!\S)", "\n".join(plain(block, width=width))
    )
    for each in block.layers:
        for index, value in enumerate(each.values):
            said = "off" if value == 0 else f"{value:.3f}"
            assert (str(index), said) in numbers


def test_units_that_are_off_are_counted():
    block = relu()
    off = sum(int((each.values == 0).sum()) for each in block.layers)
    assert off > 0
    assert f"Off: {off} units are 0" in " ".join(" ".join(plain(block)).split())


def test_names_have_what_they_share_in_the_title():
    lines = plain(relu())
    assert lines[0].endswith("   blocks.0")
    assert lines[1].split() == ["norm2", "mlp.post", "mlp.out"]
    assert lines[2].split() == ["d_model", "d_mlp", "d_model"]


def test_a_line_joins_the_units_of_the_only_weight():
    block = Network("N", (layer([1, 2]), layer([3, 4])), (np.array([[0, 0], [0.5, 0]]),))
    first, second = (line for line in plain(block, encoding="ascii") if re.match(r"  +[01] ", line))
    assert first.split()[2].startswith("#")
    assert second.split()[2].startswith("#")
    assert "weights between units that are on, 1 of 4" in " ".join(plain(block))


def test_no_line_joins_a_unit_that_is_off():
    block = Network("N", (layer([0, 0]), layer([3, 4])), (np.ones((2, 2)),))
    assert "0 of 4" in " ".join(plain(block))
    for line in plain(block)[3:5]:
        assert re.fullmatch(r" +\d +off +\d +[34]", line)


def test_a_negative_weight_has_a_broken_line():
    def dots(weight):
        line = plain(Network("N", (layer([1]), layer([1])), (np.array([[weight]]),)))[3]
        return sum("\u2800" < c <= "\u28ff" for c in line), line.count("⣿")

    assert dots(1.0)[1] > dots(-1.0)[1]


def test_lines_are_few_enough_to_be_followed():
    rng = np.random.default_rng(0)
    shape = (30, 50)
    block = Network(
        "N", (layer(rng.normal(size=30)), layer(rng.normal(size=50))), (rng.normal(size=shape),)
    )
    text = " ".join(" ".join(plain(block)).split())
    assert f"{MOST_LINES} of 256" in text
    assert f"{MOST_UNITS} of 30 units of x.y, {MOST_UNITS} of 50 units of x.y." in text


def test_colours_tell_signs_apart():
    block = Network("N", (layer([1, -1]), layer([1])), (np.array([[1.0], [-1.0]]),))
    drawn = draw_network(block, Page(colours=256))
    assert [line.plain for line in drawn] == [line.plain for line in draw_network(block, Page())]
    fills = {
        str(span.style) for line in drawn[3:5] for span in line.spans if "on " in str(span.style)
    }
    assert len(fills) == 2
