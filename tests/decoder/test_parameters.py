"""Parameters are known before they exist, checked when they are given, and lie in one buffer."""

import numpy as np
import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.parameters import (
    FlatParameters,
    check_parameters,
    parameter_specs,
    read_only,
)
from pellucid.errors import PellucidError
from tests.small_models import OPTIONS, SMALL, random_parameters, small_config

SPECS = parameter_specs(build_graph(SMALL))


def given(**changes):
    return random_parameters(SMALL) | changes


# What is known


def test_kinds():
    kinds = {name: spec.kind for name, spec in SPECS.items()}
    assert kinds["token_embedding"] == kinds["position_embedding"] == "embedding"
    assert kinds["blocks.0.attn.w_o"] == kinds["head.w"] == "matrix"
    assert kinds["blocks.0.attn.b_q"] == kinds["final_norm.beta"] == "bias"
    assert kinds["final_norm.gamma"] == "gain"


def test_fan_in_is_what_a_linear_map_adds_up():
    fan_in = {name: spec.fan_in for name, spec in SPECS.items()}
    assert fan_in["blocks.0.attn.w_q"] == fan_in["blocks.0.attn.b_q"] == 8
    assert fan_in["blocks.1.mlp.w_out"] == fan_in["blocks.1.mlp.b_out"] == 12
    assert fan_in["token_embedding"] == fan_in["final_norm.gamma"] == 0


def test_a_tied_head_is_known_once_as_the_embedding():
    specs = parameter_specs(build_graph(small_config("tied head")))
    assert "head.w" not in specs
    assert specs["token_embedding"].kind == "embedding"


# What is given


def test_what_fits_passes():
    check_parameters(SPECS, given())


def test_one_that_is_missing():
    parameters = given()
    parameters["blocks.0.attn.w_qq"] = parameters.pop("blocks.0.attn.w_q")
    with pytest.raises(PellucidError, match=r"lack blocks\.0\.attn\.w_q \[8, 8\]\. Did you mean"):
        check_parameters(SPECS, parameters)


def test_one_too_many():
    with pytest.raises(PellucidError, match=r'no parameter "head\.bias"\. Did you mean head\.b'):
        check_parameters(SPECS, given(**{"head.bias": np.zeros(11)}))


def test_one_of_another_shape():
    with pytest.raises(PellucidError) as caught:
        check_parameters(SPECS, given(**{"blocks.0.mlp.w_in": np.zeros((12, 8))}))
    assert str(caught.value) == (
        "blocks.0.mlp.w_in is [12, 8], but this model's is [8, 12] (d_model × d_mlp)."
    )


def test_one_of_whole_numbers():
    with pytest.raises(PellucidError, match=r"head\.b holds int64, not floating-point"):
        check_parameters(SPECS, given(**{"head.b": np.zeros(11, dtype=np.int64)}))


def test_read_only_copies():
    parameters = given()
    locked = read_only(parameters, "float32")
    for name, array in locked.items():
        assert array.dtype == np.float32
        assert not np.shares_memory(array, parameters[name])
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


# One buffer


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_views_lie_end_to_end_in_one_buffer(option, dtype):
    config = small_config(option)
    specs = parameter_specs(build_graph(config))
    parameters = random_parameters(config, dtype=dtype)
    flat = FlatParameters.copy_of(parameters, specs)
    assert flat.buffer.ndim == 1
    assert flat.buffer.dtype == dtype
    assert list(flat) == list(specs)
    assert len(flat) == len(specs)
    laid_out = np.concatenate([parameters[name].ravel() for name in specs])
    assert np.array_equal(flat.buffer, laid_out)
    for name, view in flat.items():
        assert np.array_equal(view, parameters[name])
        assert np.shares_memory(view, flat.buffer)
        assert not np.shares_memory(view, parameters[name])


def test_moving_the_buffer_moves_the_views_and_back():
    flat = FlatParameters.copy_of(given(), SPECS)
    flat.buffer += 1
    assert np.array_equal(flat["head.b"], given()["head.b"] + 1)
    flat["head.b"][:] = 7
    assert (flat.buffer == 7).sum() == 11


def test_zeros_of_the_same_layout():
    flat = FlatParameters.copy_of(given(), SPECS)
    zeros = flat.zeros_like()
    assert list(zeros) == list(flat)
    assert zeros.buffer.shape == flat.buffer.shape
    assert zeros.buffer.dtype == flat.buffer.dtype
    assert not zeros.buffer.any()
    assert not np.shares_memory(zeros.buffer, flat.buffer)
