"""Fresh weights are drawn as their scheme says, the same for the same generator."""

from math import sqrt

import numpy as np
import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.initialisation import SCHEMES, initialise
from pellucid.decoder.parameters import parameter_specs
from pellucid.errors import PellucidError

WIDE = ModelConfig(
    vocab_size=300, block_size=64, n_layer=3, n_head=4, n_embd=64, d_mlp=192, head_bias=True
)
GRAPH = build_graph(WIDE)
SPECS = parameter_specs(GRAPH)
EACH = pytest.mark.parametrize("scheme", SCHEMES)


def draw(scheme, seed=0, dtype="float64", graph=GRAPH):
    return initialise(graph, scheme=scheme, rng=np.random.default_rng(seed), dtype=dtype)


def assert_normal(array, deviation):
    """Mean and deviation within 5 standard errors."""
    n = array.size
    assert abs(array.mean()) < 5 * deviation / sqrt(n)
    assert abs(array.std() - deviation) < 5 * deviation / sqrt(2 * n)
    assert np.abs(array).max() > 2 * deviation


def assert_uniform(array, bound):
    assert np.abs(array).max() <= bound
    n = array.size
    assert abs(array.mean()) < 5 * bound / sqrt(3 * n)
    # The mean square of a uniform number is bound² / 3; its own deviation bound² · √(4 / 45).
    assert abs((array**2).mean() - bound**2 / 3) < 5 * bound**2 * sqrt(4 / 45 / n)


@EACH
def test_every_parameter_of_its_shape_and_closed_to_writing(scheme):
    drawn = draw(scheme)
    assert list(drawn) == list(SPECS)
    for name, array in drawn.items():
        assert array.shape == SPECS[name].shape
        assert not array.flags.writeable


@EACH
def test_norms_begin_as_if_they_were_not_there(scheme):
    for name, array in draw(scheme).items():
        if "norm" in name:
            assert (array == (1 if SPECS[name].kind == "gain" else 0)).all()


@EACH
def test_the_generator_decides(scheme):
    first, same, other = draw(scheme), draw(scheme), draw(scheme, seed=1)
    for name in first:
        assert first[name].tobytes() == same[name].tobytes()
    assert not np.array_equal(first["token_embedding"], other["token_embedding"])


@EACH
def test_single_precision_is_double_precision_rounded(scheme):
    double, single = draw(scheme), draw(scheme, dtype="float32")
    for name in double:
        assert np.array_equal(single[name], double[name].astype(np.float32))


def test_as_gpt2():
    for name, array in draw("gpt2").items():
        kind = SPECS[name].kind
        if kind == "bias":
            assert not array.any()
        elif name.endswith(("attn.w_o", "mlp.w_out")):
            # Two writes to the stream in each of 3 layers.
            assert_normal(array, 0.02 / sqrt(6))
        elif kind in ("embedding", "matrix"):
            assert_normal(array, 0.02)


def test_as_torch():
    for name, array in draw("torch").items():
        if SPECS[name].kind == "embedding":
            assert_normal(array, 1)
        elif "norm" not in name:
            assert_uniform(array, 1 / sqrt(192 if "_out" in name else 64))


@pytest.mark.parametrize("tied", [False, True])
def test_as_lesson_3_draw_by_draw(tied):
    config = WIDE.replace(
        tied_head=tied, head_bias=not tied, attention_bias=False, attention_output_bias=False
    )
    drawn = draw("lesson-3", seed=42, graph=build_graph(config))
    rng = np.random.default_rng(42)
    order = ["token_embedding", "position_embedding"]
    for i in range(config.n_layer):
        order += [f"blocks.{i}.attn.{name}" for name in ("w_q", "w_k", "w_v", "w_o")]
        order += [f"blocks.{i}.mlp.{name}" for name in ("w_in", "w_out")]
    order += [] if tied else ["head.w"]
    for name in order:
        assert np.array_equal(drawn[name], rng.standard_normal(drawn[name].shape) * 0.02), name
    for name in set(drawn) - set(order):
        assert (drawn[name] == (1 if name.endswith("gamma") else 0)).all(), name


def test_an_unknown_scheme_is_answered_with_the_known_ones():
    with pytest.raises(PellucidError, match=r'"gpt-2"\. Did you mean gpt2\? There are torch, gpt2'):
        draw("gpt-2")
