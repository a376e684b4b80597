"""A config holds together, or says with its numbers why it does not."""

import json
from typing import Any

import msgspec
import pytest

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.presets import PRESETS
from pellucid.decoder.rotary import Rotary, RotaryScaling
from pellucid.errors import PellucidError
from tests.small_models import OPTIONS, SMALL, small_config

LEAST: dict[str, Any] = {"vocab_size": 9, "block_size": 4, "n_layer": 1, "n_head": 2, "n_embd": 8}


def complaint(**fields):
    """The one line that a config of these fields is refused with, made in either way."""
    with pytest.raises(PellucidError) as from_data:
        ModelConfig.from_dict(LEAST | fields)
    assert "\n" not in str(from_data.value)
    return str(from_data.value)


def test_sizes_that_are_not_given_follow():
    config = ModelConfig(**LEAST)
    assert (config.n_kv_head, config.d_head, config.d_mlp) == (2, 4, 32)


def test_sizes_that_are_given_stay():
    config = ModelConfig(**LEAST, n_kv_head=1, d_head=3, d_mlp=5)
    assert (config.n_kv_head, config.d_head, config.d_mlp) == (1, 3, 5)


def test_a_config_is_a_value_that_cannot_be_changed():
    config = ModelConfig(**LEAST)
    assert config == ModelConfig(**LEAST)
    assert hash(config) == hash(ModelConfig(**LEAST))
    with pytest.raises(AttributeError, match="immutable"):
        config.n_embd = 16  # type: ignore[misc]


# Plain data


@pytest.mark.parametrize("config", [*map(small_config, OPTIONS), *PRESETS.values()])
def test_plain_data_and_back(config):
    assert ModelConfig.from_dict(config.to_dict()) == config
    assert ModelConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config
    assert ModelConfig.from_dict(msgspec.json.decode(msgspec.json.encode(config))) == config


def test_every_field_is_in_the_data():
    assert set(ModelConfig(**LEAST).to_dict()) == set(ModelConfig.__struct_fields__)


# Changes


def test_a_copy_with_changes():
    changed = SMALL.replace(n_layer=5, activation="relu")
    assert (changed.n_layer, changed.activation) == (5, "relu")
    assert changed.replace(n_layer=SMALL.n_layer, activation=SMALL.activation) == SMALL


def test_sizes_that_followed_follow_again():
    wider = ModelConfig(**LEAST).replace(n_embd=12, n_head=3)
    assert (wider.n_kv_head, wider.d_head, wider.d_mlp) == (3, 4, 48)


def test_sizes_that_were_chosen_stay():
    grouped = ModelConfig(**LEAST, n_kv_head=1, d_mlp=5).replace(n_embd=12)
    assert (grouped.n_kv_head, grouped.d_head, grouped.d_mlp) == (1, 6, 5)


def test_changes_are_checked():
    with pytest.raises(PellucidError, match=r'no field "n_layers".* Did you mean n_layer'):
        SMALL.replace(n_layers=3)
    with pytest.raises(PellucidError, match="n_head=3"):
        SMALL.replace(n_head=3)


# What does not add up


def test_heads_that_do_not_divide_the_width():
    said = complaint(n_embd=10, n_head=3)
    assert "n_embd=10 does not divide into n_head=3 heads" in said
    with pytest.raises(PellucidError, match="n_embd=10 does not divide into n_head=3 heads"):
        ModelConfig(**LEAST | {"n_embd": 10, "n_head": 3})


def test_heads_that_do_not_divide_into_groups():
    assert "n_head=4 query heads do not divide among n_kv_head=3" in complaint(
        n_head=4, n_kv_head=3
    )


def test_more_key_heads_than_query_heads():
    assert "n_head=2 query heads do not divide among n_kv_head=4" in complaint(n_kv_head=4)


def test_merged_heads_of_another_width_need_a_projection():
    said = complaint(attention_output=False, d_head=5)
    assert "n_head=2 × d_head=5 is 10, not n_embd=8" in said


@pytest.mark.parametrize("name", [*LEAST, "n_kv_head", "d_head", "d_mlp"])
@pytest.mark.parametrize("wrong", [-1, -8])
def test_negative_sizes(name, wrong):
    assert f"{name}={wrong} is not a positive whole number" in complaint(**{name: wrong})


@pytest.mark.parametrize("wrong", [1001, 10**9, 2**53])
def test_more_layers_than_could_be_built_in_a_lifetime(wrong):
    assert "is more than 1000 layers" in complaint(n_layer=wrong)


@pytest.mark.parametrize("changes", [{"d_head": 2**31}, {"n_embd": 2**40}])
def test_a_head_wider_than_could_be_built_in_a_lifetime(changes):
    assert "is more than 65536 in a head" in complaint(position="rotary", **changes)


@pytest.mark.parametrize("name", ["window", "block_size", "vocab_size", "d_mlp"])
@pytest.mark.parametrize("wrong", [2**53 + 1, 2**63, 10**30])
def test_sizes_that_no_array_could_have(name, wrong):
    assert f"{name}={wrong} is more than can be counted exactly" in complaint(**{name: wrong})


@pytest.mark.parametrize("name", LEAST)
def test_sizes_of_nothing(name):
    assert f"{name}=0 is not a positive whole number" in complaint(**{name: 0})


@pytest.mark.parametrize("name", ["n_embd", "d_mlp"])
@pytest.mark.parametrize("wrong", [2.5, "8", None, True])
def test_sizes_that_are_not_whole_numbers(name, wrong):
    assert name in complaint(**{name: wrong})
    with pytest.raises(PellucidError, match=rf"{name}=.* is not a positive whole number"):
        ModelConfig(**LEAST | {name: wrong})


def test_an_unknown_field_is_answered_with_near_ones():
    assert complaint(n_embed=8) == (
        'A model config has no field "n_embed". Did you mean n_embd, n_head?'
    )
    assert complaint(colour="red") == 'A model config has no field "colour".'


@pytest.mark.parametrize("name", LEAST)
def test_a_field_that_is_missing_is_named(name):
    fields = {other: value for other, value in LEAST.items() if other != name}
    with pytest.raises(PellucidError, match=f"`{name}`"):
        ModelConfig.from_dict(fields)


@pytest.mark.parametrize(
    ("name", "wrong", "known"),
    [
        ("norm", "batch", "layer, rms"),
        ("norm_position", "before", "pre, post, sandwich, output"),
        ("activation", "gelu_new", "relu, relu_squared, gelu, gelu_tanh, gelu_quick, silu"),
        ("position", "rope", "learned, sinusoidal, rotary, alibi, none"),
        ("query_key_norm", "heads", "none, head, head_each, all"),
    ],
)
def test_an_unknown_choice_is_answered_with_the_known_ones(name, wrong, known):
    with pytest.raises(PellucidError, match=f"{name}='{wrong}' is not one of {known}"):
        ModelConfig(**LEAST | {name: wrong})
    assert wrong in complaint(**{name: wrong})


@pytest.mark.parametrize("wrong", [1, "yes", None])
def test_a_switch_is_true_or_false(wrong):
    with pytest.raises(PellucidError, match=r"tied_head=.* is neither true nor false"):
        ModelConfig(**LEAST | {"tied_head": wrong})
    assert "tied_head" in complaint(tied_head=wrong)


@pytest.mark.parametrize("wrong", [-1e-5, 1.0, float("nan"), float("inf"), "small", True])
def test_epsilon_is_a_small_number(wrong):
    with pytest.raises(PellucidError, match=r"norm_epsilon=.* is not a number from 0 to 1"):
        ModelConfig(**LEAST | {"norm_epsilon": wrong})


# Options that stand together


def test_rotary_positions_are_plain_ones_unless_given():
    assert ModelConfig(**LEAST, position="rotary").rotary == Rotary()
    assert ModelConfig(**LEAST).rotary is None


def test_rotary_positions_from_plain_data():
    fields = {"base": 50.0, "scaling": {"kind": "linear", "factor": 2.0}}
    config = ModelConfig.from_dict(LEAST | {"position": "rotary", "rotary": fields})
    assert config.rotary == Rotary(base=50.0, scaling=RotaryScaling(kind="linear", factor=2.0))
    assert "low_freq" in complaint(position="rotary", rotary={"scaling": {"low_freq": 1}})


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"window": 0}, "window=0 is not a positive whole number"),
        ({"window_layers": [True]}, "window_layers are given, but no window"),
        ({"window": 2, "window_layers": [True, False]}, "of 2 layers, but n_layer=1"),
        ({"rotary_layers": [True]}, 'rotary_layers are given, but position="learned"'),
        ({"rotary": {}}, 'rotary is given, but position="learned"'),
        ({"position": "rotary", "local_rotary": {}}, "local_rotary is of layers with a window"),
        (
            {"position": "rotary", "window": 2, "local_rotary": {"dim": 2}},
            "rotary turns 4 numbers of a head, but local_rotary 2",
        ),
        ({"position": "rotary", "n_embd": 6}, "3 numbers of a head of d_head=3"),
        ({"parallel_block": True, "norm_position": "post"}, 'goes with norm_position="pre"'),
        ({"parallel_block": True, "mlp": False}, "parallel_block needs a feed-forward network"),
        ({"gated_mlp": True, "mlp": False}, "gated_mlp needs a feed-forward network"),
        ({"shared_norm": True}, "shared_norm goes with parallel_block alone"),
        ({"norm_unit_offset": True}, 'norm_unit_offset goes with norm="rms", not "layer"'),
        ({"attention_softcap": 0.0}, "attention_softcap=0.0 is not a positive number"),
        ({"embedding_scale": -1.0}, "embedding_scale=-1.0 is not a positive number"),
    ],
)
def test_options_that_do_not_go_together(fields, said):
    assert said in complaint(**fields)


@pytest.mark.parametrize("wrong", [0, -1.0, float("nan"), float("inf"), "2", True])
def test_a_factor_is_a_positive_number(wrong):
    with pytest.raises(PellucidError, match=r"logit_multiplier=.* is not a positive number"):
        ModelConfig(**LEAST | {"logit_multiplier": wrong})


def test_what_is_not_a_config_at_all():
    with pytest.raises(PellucidError, match="not a model config"):
        ModelConfig.from_dict({})
