"""Frequencies are those of the published formulas, and what cannot be turned is refused."""

import math

import numpy as np
import pytest
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from pellucid.decoder.rotary import Rotary, RotaryScaling, rotate
from pellucid.errors import PellucidError
from tests.small_models import LONG

D_HEAD, CONTEXT, ORIGINAL = 16, 512, 64
ROUNDED = 1e-6
"""Theirs are worked out in float32."""


def theirs(length=None, **parameters):
    """What `transformers` makes of the same: radians per position, and the magnitude."""
    config = LlamaConfig(
        hidden_size=64, num_attention_heads=4, max_position_embeddings=CONTEXT,
        rope_parameters={"rope_theta": 500.0, **parameters},
    )  # fmt: skip
    frequencies, magnitude = ROPE_INIT_FUNCTIONS[parameters["rope_type"]](config, "cpu", length)
    return frequencies.tolist(), magnitude


def ours(kind, **fields):
    scaling = RotaryScaling(kind=kind, original_block_size=ORIGINAL, **fields)
    return rotate(Rotary(base=500.0, scaling=scaling), D_HEAD)


def test_plain_ones_fall_by_powers_of_the_base():
    op = rotate(Rotary(base=100.0, dim=4), D_HEAD)
    assert op.frequencies.each == pytest.approx((1.0, 0.1), rel=1e-15)
    assert (op.width, op.magnitude) == (4, 1.0)


def test_linear_scaling_slows_all_down_alike():
    expected, _ = theirs(rope_type="linear", factor=8.0)
    assert ours("linear", factor=8.0).frequencies.each == pytest.approx(expected, rel=ROUNDED)


@pytest.mark.parametrize("low", [1.0, 0.5])
def test_llama_3s(low):
    expected, _ = theirs(
        rope_type="llama3", factor=8.0, low_freq_factor=low, high_freq_factor=4.0,
        original_max_position_embeddings=ORIGINAL,
    )  # fmt: skip
    op = ours("llama3", factor=8.0, low_frequency_factor=low)
    assert op.frequencies.each == pytest.approx(expected, rel=ROUNDED)
    fast, *_, slow = op.frequencies.each
    assert (fast, slow) == (1.0, pytest.approx(500.0 ** (-14 / 16) / 8, rel=1e-15))


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"beta_fast": 8.0, "beta_slow": 2.0},
        {"truncate": False},
        {"attention_factor": 1.25},
        {"mscale": 0.7, "mscale_all_dim": 0.3},
    ],
)
def test_yarns(more):
    expected, magnitude = theirs(
        rope_type="yarn", factor=8.0, original_max_position_embeddings=ORIGINAL, **more
    )
    op = ours("yarn", factor=8.0, **more)
    assert op.frequencies.each == pytest.approx(expected, rel=ROUNDED)
    assert op.magnitude == pytest.approx(magnitude, rel=1e-15)


@pytest.mark.parametrize("length", [CONTEXT - 1, CONTEXT + 1, 3 * CONTEXT])
def test_dynamic_ones_go_by_the_length(length):
    expected, _ = theirs(length, rope_type="dynamic", factor=4.0)
    scaling = RotaryScaling(kind="dynamic", factor=4.0, original_block_size=CONTEXT)
    found = rotate(Rotary(base=500.0, scaling=scaling), D_HEAD).frequencies
    (each,) = found.at(lengths(length))[:, 0].tolist()
    assert each == pytest.approx(expected, rel=ROUNDED)


@pytest.mark.parametrize("length", [ORIGINAL, ORIGINAL + 1])
def test_longropes_switch(length):
    short, long = [1.0 + i / 8 for i in range(8)], [2.0 + i for i in range(8)]
    expected, magnitude = theirs(
        length, rope_type="longrope", factor=8.0, short_factor=short, long_factor=long,
        original_max_position_embeddings=ORIGINAL,
    )  # fmt: skip
    op = ours("longrope", factor=8.0, short_factors=tuple(short), long_factors=tuple(long))
    (each,) = op.frequencies.at(lengths(length))[:, 0].tolist()
    assert each == pytest.approx(expected, rel=ROUNDED)
    assert op.magnitude == pytest.approx(magnitude, rel=1e-15)
    assert op.magnitude == pytest.approx(math.sqrt(1 + math.log(8) / math.log(64)), rel=1e-15)


def lengths(length):
    return np.array([length])


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"kind": "ntk"}, "kind='ntk' is not one of linear, dynamic"),
        ({"kind": "linear", "factor": 0}, "factor=0 is not a positive number"),
        ({"kind": "linear", "factor": math.inf}, "factor=inf is not a positive number"),
        ({"kind": "yarn"}, '"yarn" needs an original_block_size'),
        (
            {"kind": "llama3", "original_block_size": 8, "low_frequency_factor": 4.0},
            "low_frequency_factor=4.0 is not below high_frequency_factor=4.0",
        ),
        ({"kind": "linear", "attention_factor": -1.0}, "attention_factor=-1.0"),
        ({"kind": "linear", "long_factors": (1.0, math.nan)}, "nan is not a positive number"),
    ],
)
def test_scaling_that_makes_no_sense(fields, said):
    with pytest.raises(PellucidError, match=said):
        RotaryScaling(**fields)


@pytest.mark.parametrize(
    ("rotary", "said"),
    [
        (Rotary(dim=3), "turn pairs: 3 numbers of a head of d_head=16"),
        (Rotary(dim=18), "18 numbers of a head of d_head=16 cannot be turned"),
        (Rotary(scaling=LONG), "short_factors are 2, but there are 8 pairs"),
        (
            Rotary(dim=2, scaling=RotaryScaling(kind="dynamic", original_block_size=8)),
            "needs two pairs",
        ),
    ],
)
def test_heads_that_cannot_be_turned(rotary, said):
    with pytest.raises(PellucidError, match=said):
        rotary.width(D_HEAD)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"base": 0.0}, "base=0.0"),
        ({"dim": -2}, "dim=-2"),
        ({"layout": "thirds"}, "layout='thirds' is not one of halves, pairs"),
    ],
)
def test_positions_that_make_no_sense(fields, said):
    with pytest.raises(PellucidError, match=said):
        Rotary(**fields)
