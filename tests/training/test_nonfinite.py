"""The first number that is not finite is found, wherever it comes up."""

import numpy as np
import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.training.nonfinite import what_went_wrong
from tests.small_models import next_targets, random_ids, random_parameters, small_config

CONFIG = small_config()


def found(**changes):
    parameters = random_parameters(CONFIG, dtype="float32")
    for name, value in changes.items():
        parameters[name.replace("__", ".")][...] = value
    ids = random_ids(CONFIG)
    engine = NumpyEngine(build_graph(CONFIG), parameters)
    return what_went_wrong(engine, {"ids": ids, "targets": next_targets(ids)})


def test_nothing_is_wrong_with_a_sound_model_and_its_mask():
    assert found() == ""


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_parameter_is_named_before_what_it_spoils(value):
    assert found(blocks__0__norm1__gamma=value).startswith("the parameter blocks.0.norm1.gamma has")


@pytest.mark.parametrize(
    ("parameter", "tensor"),
    [
        ("blocks__0__mlp__w_in", "blocks.0.mlp.pre"),
        ("blocks__1__attn__w_v", "blocks.1.attn.v_flat"),
        ("head__w", "logits"),
    ],
)
def test_forwards_the_first_tensor_is_named(parameter, tensor):
    assert found(**{parameter: 3e38}).startswith(f"{tensor} is the first tensor with")


def test_backwards_the_first_gradient_is_named():
    """A stream of zeros is normalised to zeros, so the logits are the norm's shift through the head
    and finite; its gradient is the head's, times a gain of 100, over a deviation of 0.003."""
    nothing = ["token_embedding", "position_embedding"]
    nothing += [f"blocks__{i}__{out}" for i in (0, 1) for out in ("attn__w_o", "attn__b_o")]
    nothing += [f"blocks__{i}__{out}" for i in (0, 1) for out in ("mlp__w_out", "mlp__b_out")]
    head = 2e37 * random_parameters(CONFIG)["head.w"]
    wrong = found(**dict.fromkeys(nothing, 0), head__w=head, final_norm__gamma=100)
    assert wrong.startswith("the gradient of blocks.1.resid_post is the first with"), wrong
