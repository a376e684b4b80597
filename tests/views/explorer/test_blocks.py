"""Chapters name the tensors of the page's own run, and copy the numbers of every other."""

import json

import numpy as np
import pytest

import pellucid
from pellucid.tour.tour import tour
from pellucid.views.catalogue.attention import flow, pattern
from pellucid.views.catalogue.feed_forward import network
from pellucid.views.explorer.blocks import block_data, chapter_data
from pellucid.views.histogram import Distribution
from pellucid.views.scene import (
    Curve,
    GraphDiagram,
    Histogram,
    Matrix,
    Network,
    Prose,
    Row,
    Scene,
    Series,
)
from tests.small_models import small_model

PATTERN = "blocks.0.attn.pattern"


@pytest.fixture(scope="module")
def groot():
    return pellucid.load("baby-groot").trace("i am groot")


@pytest.fixture(scope="module")
def other():
    return pellucid.load("baby-groot").trace("groot am i")


@pytest.fixture(scope="module")
def several():
    """A trace with more than one head."""
    return small_model().trace(ids=[1, 2, 3])


def test_a_matrix_of_the_run_is_named(groot):
    block = Matrix.of(groot["blocks.0.mlp.pre"], title="Widened")
    told = {"block": "tensor", "name": "blocks.0.mlp.pre", "title": "Widened"}
    assert block_data(block, groot) == {**told, "note": None, "head": None}


def test_a_matrix_of_another_run_keeps_its_numbers(groot, other):
    data = block_data(Matrix.of(other["embed.out"], title="Other"), groot)
    assert data["block"] == "matrix"
    assert np.array_equal(np.float32(data["values"]), other["embed.out"].values)
    assert data["rows"] == ["position", ("<START>", "groot", "am", "i")]


def test_a_head_is_told_from_the_others(several):
    assert several[PATTERN].shape[0] > 1
    for head in range(several[PATTERN].shape[0]):
        (block,) = pattern(several, head=head)
        assert block_data(block, several)["head"] == head
        (block,) = flow(several, head=head)
        assert block_data(block, several)["head"] == head


def test_a_flow_of_another_run_becomes_its_numbers(groot, other):
    (block,) = flow(other)
    data = block_data(block, groot)
    assert (data["block"], data["kind"]) == ("matrix", "probability")
    assert np.array_equal(np.float32(data["values"]), other[PATTERN].values[0])


def test_a_network_names_its_layers_its_lines_and_its_token(groot):
    (block,) = network(groot, position=2)
    data = block_data(block, groot)
    assert data["position"] == 2
    assert data["weights"] == ["blocks.0.mlp.w_in", "blocks.0.mlp.w_out"]
    names = [layer["name"] for layer in data["layers"]]
    assert names == ["blocks.0.norm1", "blocks.0.mlp.post", "blocks.0.mlp.out"]


def test_what_is_not_drawn_is_never_left_out(groot, other):
    histogram = Histogram("Sizes *", np.array([0.0, 1.0]), (Distribution("w", np.array([3])),))
    foreign = network(other)[0]
    assert isinstance(foreign, Network)
    for block in (histogram, foreign):
        data = block_data(Row((block,)), groot)["blocks"][0]
        assert data["paragraphs"][0][0] == {"text": block.title, "kind": "bold"}


def test_runs_of_text_say_where_they_point(groot):
    block = Prose("So **much** of [1.83](blocks.0.attn.scores[0,1,0]).")
    link = {"text": "1.83", "kind": "link", "target": "blocks.0.attn.scores[0,1,0]"}
    expected = ["So ", {"text": "much", "kind": "bold"}, " of ", link, "."]
    assert block_data(block, groot)["paragraphs"] == [expected]


def test_a_curve_is_true_to_six_digits(groot):
    losses = np.array([3.19286942, 0.736778032713, np.nan])
    data = block_data(Curve("Loss", (Series("all", losses),), "epoch", "nats"), groot)
    assert data["series"][0]["y"] == [3.19287, 0.736778, "NaN"]


def test_the_graph_is_a_map(groot):
    scene = Scene("A", (GraphDiagram(None, groot.graph),))
    assert chapter_data(scene, groot) == {"title": "A", "blocks": [{"block": "map"}]}


def test_every_block_of_the_tour_is_there(groot):
    """No block is dropped, all of it is JSON, and nothing of BabyGroot's is left undrawn."""
    for scene in tour("i am groot", model=pellucid.load("baby-groot")):
        data = json.loads(json.dumps(chapter_data(scene, groot)))
        assert len(data["blocks"]) == len(scene.blocks)
        assert "does not draw" not in json.dumps(data)
