"""Part 5: the rest of the block."""

import numpy as np

from pellucid.model.model import Model
from pellucid.tour.block import block
from pellucid.views.scene import Heading, Matrix, Network
from tests.small_models import SMALL, WORDS
from tests.tour.conftest import lesson_of
from tests.tour.scenes import of_kind, table, words


def names(blocks):
    return [matrix.name.removeprefix("blocks.0.") for matrix in of_kind(blocks, Matrix)]


def test_residual_norm_and_network_are_shown_in_order(any_lesson):
    assert names(block(any_lesson)) == [
        "embed.out",
        "attn.out",
        "resid_mid",
        "norm1.normalized",
        "norm1",
        "mlp.w_in",
        "mlp.w_out",
        "mlp.pre",
        "mlp.post",
        "mlp.out",
    ]


def test_the_shapes_go_out_and_back_in(lesson):
    assert [row[1:] for row in table(block(lesson), "step").rows] == [
        ("blocks.0.norm1", "4 × 8"),
        ("blocks.0.mlp.pre", "4 × 16"),
        ("blocks.0.mlp.post", "4 × 16"),
        ("blocks.0.mlp.out", "4 × 8"),
    ]


def test_what_the_activation_did_is_counted(any_lesson):
    pre, post = (any_lesson.inside(f"mlp.{name}").values for name in ("pre", "post"))
    below, active = int((pre < 0).sum()), int((post[-1] > 0).sum())
    said = words(block(any_lesson))
    assert f"Of {pre.size} numbers {below} were negative" in said
    assert f"{active} of 16 are above 0; the largest, {post[-1].max():.3f}" in said


def test_the_length_that_attention_adds_is_the_vectors(lesson):
    before, added = (
        np.linalg.norm(lesson.trace[name].values[-1]) for name in ("embed.out", "blocks.0.attn.out")
    )
    assert f"{before:.3f} long, attention added one that is {added:.3f} long" in words(
        block(lesson)
    )


def test_every_connection_is_counted(lesson):
    assert "128 + 128 = 256 lines" in words(block(lesson))


def test_the_network_is_drawn_at_work_on_the_last_token(any_lesson):
    (network,) = of_kind(block(any_lesson), Network)
    for layer in network.layers:
        assert layer.values.tolist() == any_lesson.trace[layer.name].values[-1].tolist()
    tables = (any_lesson.inside(f"mlp.{name}").values for name in ("w_in", "w_out"))
    for weights, table_ in zip(network.weights, tables, strict=True):
        np.testing.assert_array_equal(weights, table_)
    on = int((network.layers[1].values != 0).sum())
    assert f"Of 16 units in the middle {on} {'is' if on == 1 else 'are'} not 0." in words(
        block(any_lesson)
    )


def test_a_pre_norm_block_goes_on_with_its_second_norm_and_gelu_is_named():
    model = Model.from_config(SMALL.replace(activation="gelu"), WORDS, scheme="torch")
    blocks = block(lesson_of("oak elm", model=model))
    assert names(blocks)[3:5] == ["norm2.normalized", "norm2"]
    assert Heading("Activated by GELU", 3) in blocks
