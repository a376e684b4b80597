"""A small decoder with random weights for each option of the config, to hold up to a truth."""

from typing import Any

import msgspec
import numpy as np

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.parameters import parameter_specs
from pellucid.decoder.rotary import Rotary, RotaryScaling
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer

WORDS = Tokenizer.words(["ash bud elm fir leaf moss oak root"])
"""Eight words and the three special tokens: the vocabulary of `SMALL`."""

SMALL = ModelConfig(
    vocab_size=11, block_size=6, n_layer=2, n_head=4, n_embd=8, d_mlp=12, head_bias=True
)

GATED: dict[str, Any] = {
    "norm": "rms",
    "norm_bias": False,
    "gated_mlp": True,
    "activation": "silu",
    "position": "rotary",
    "attention_bias": False,
    "attention_output_bias": False,
    "mlp_bias": False,
    "head_bias": False,
}
"""What most models since Llama have in common."""

LONG = RotaryScaling(
    kind="longrope",
    factor=4,
    original_block_size=4,
    short_factors=(1.0, 1.5),
    long_factors=(1.2, 3.0),
)
LONGROPE = Rotary(base=20, scaling=msgspec.structs.replace(LONG, original_block_size=8))

PLAIN: dict[str, dict[str, Any]] = {
    "as it is": {},
    "post norm": {"norm_position": "post"},
    "post norm, no final norm": {"norm_position": "post", "final_norm": False},
    "no final norm": {"final_norm": False},
    "one head": {"n_head": 1},
    "grouped heads": {"n_kv_head": 2},
    "one key head": {"n_kv_head": 1},
    "wide heads": {"d_head": 5},
    "no attention output": {"attention_output": False},
    "post norm, grouped, no attention output": {
        "norm_position": "post",
        "n_kv_head": 2,
        "attention_output": False,
    },
    "relu": {"activation": "relu"},
    "gelu": {"activation": "gelu"},
    "gelu_tanh": {"activation": "gelu_tanh"},
    "sinusoidal positions": {"position": "sinusoidal"},
    "no positions": {"position": "none"},
    "tied head": {"tied_head": True},
    "tied head, no head bias": {"tied_head": True, "head_bias": False},
    "no head bias": {"head_bias": False},
    "no attention bias": {"attention_bias": False},
    "no attention output bias": {"attention_output_bias": False},
    "no mlp bias": {"mlp_bias": False},
    "no norm bias": {"norm_bias": False},
    "large norm epsilon": {"norm_epsilon": 0.1},
    "no bias at all": {
        "attention_bias": False,
        "attention_output_bias": False,
        "mlp_bias": False,
        "norm_bias": False,
        "head_bias": False,
    },
    "one layer": {"n_layer": 1},
    "attention only": {"mlp": False},
    "attention only, post norm": {"mlp": False, "norm_position": "post"},
}
"""What differs from `SMALL`, by a name that a failing test can be known by."""

KIN: dict[str, dict[str, Any]] = {
    "like llama 3": {
        **GATED,
        "n_kv_head": 2,
        "rotary": Rotary(
            base=50,
            scaling=RotaryScaling(
                kind="llama3",
                factor=4,
                original_block_size=8,
                low_frequency_factor=0.5,
                high_frequency_factor=2,
            ),
        ),
    },
    "like gemma 2": {
        **GATED,
        "norm_position": "sandwich",
        "norm_unit_offset": True,
        "activation": "gelu_tanh",
        "d_head": 4,
        "attention_scale": 0.3,
        "attention_softcap": 0.7,
        "logit_softcap": 2.0,
        "embedding_scale": 8**0.5,
        "window": 3,
        "window_layers": (True, False),
        "tied_head": True,
    },
    "like gemma 3": {
        **GATED,
        "norm_position": "sandwich",
        "norm_unit_offset": True,
        "query_key_norm": "head",
        "d_head": 4,
        "window": 2,
        "window_layers": (False, True),
        "rotary": Rotary(base=1000, scaling=RotaryScaling(kind="linear", factor=8)),
        "local_rotary": Rotary(base=10),
    },
    "like olmo 2": {**GATED, "norm_position": "output", "query_key_norm": "all", "n_kv_head": 2},
    "like granite": {
        **GATED,
        "attention_scale": 1.0,
        "embedding_scale": 3.0,
        "residual_multiplier": 0.4,
        "logit_multiplier": 0.5,
    },
    "like cohere": {
        "parallel_block": True,
        "shared_norm": True,
        "norm_bias": False,
        "gated_mlp": True,
        "activation": "silu",
        "position": "rotary",
        "rotary": Rotary(layout="pairs"),
        "query_key_norm": "head_each",
        "d_head": 4,
        "n_kv_head": 2,
        "logit_multiplier": 0.25,
        "tied_head": True,
    },
    "like neox": {
        "parallel_block": True,
        "activation": "gelu",
        "position": "rotary",
        "d_head": 6,
        "rotary": Rotary(dim=2),
    },
    "like gpt-j": {
        "parallel_block": True,
        "shared_norm": True,
        "d_head": 6,
        "position": "rotary",
        "rotary": Rotary(dim=4, layout="pairs"),
        "attention_bias": False,
    },
    "like bloom": {"position": "alibi", "embedding_norm": True, "n_head": 3, "d_head": 2},
    "like falcon": {
        "position": "alibi",
        "parallel_block": True,
        "n_kv_head": 1,
        "alibi_scale": 0.7,
        "activation": "gelu",
    },
    "like phi 3, short": {**GATED, "d_head": 4, "rotary": LONGROPE},
    "like phi 3, long": {
        **GATED,
        "d_head": 4,
        "rotary": msgspec.structs.replace(LONGROPE, scaling=LONG),
        "window": 4,
    },
    "dynamic rotary scaling": {
        "norm": "rms",
        "d_head": 4,
        "position": "rotary",
        "rotary": Rotary(
            base=20, scaling=RotaryScaling(kind="dynamic", factor=2, original_block_size=4)
        ),
    },
    "yarn": {
        "d_head": 6,
        "activation": "relu_squared",
        "position": "rotary",
        "rotary": Rotary(
            base=30, scaling=RotaryScaling(kind="yarn", factor=4, original_block_size=20)
        ),
        "rotary_layers": (True, False),
    },
    "quick gelu, norms of heads with a shift": {
        "activation": "gelu_quick",
        "d_head": 4,
        "query_key_norm": "head",
        "query_key_norm_bias": True,
    },
    "shifts and biases everywhere": {
        "norm": "rms",
        "norm_position": "sandwich",
        "gated_mlp": True,
        "d_head": 4,
        "query_key_norm": "head_each",
        "query_key_norm_bias": True,
        "norm_unit_offset": True,
    },
}
"""The same, of the options that real models bring, several at once."""

OPTIONS = PLAIN | KIN


def small_config(option="as it is"):
    return SMALL.replace(**OPTIONS[option])


OF_ANY_LENGTH = [name for name in OPTIONS if not build_graph(small_config(name)).reads_lengths]
"""Those in which it plays no part how long a text is: its beginning stays what it was."""


def random_parameters(config, *, seed=0, dtype="float64"):
    """Numbers large enough that nothing in the model is nearly linear, zero or even."""
    rng = np.random.default_rng(seed)
    return {
        name: ((spec.kind == "gain") + 0.5 * rng.standard_normal(spec.shape)).astype(dtype)
        for name, spec in parameter_specs(build_graph(config)).items()
    }


def small_model(option="as it is", *, seed=0, dtype="float64", tokenizer=None):
    config = small_config(option)
    return Model(config, random_parameters(config, seed=seed, dtype=dtype), tokenizer)


def random_ids(config, batch=3, positions=None, *, seed=1):
    """Ids `[batch, position]`; as many positions as the context has, unless given."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, config.vocab_size, (batch, positions or config.block_size))


def next_targets(ids):
    """The next id at every position, −1 at the last."""
    return np.concatenate([ids[:, 1:], np.full((len(ids), 1), -1)], axis=1)
