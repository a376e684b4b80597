"""A small decoder with random weights for each option of the config, to hold up to a truth."""

from typing import Any

import numpy as np

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.parameters import parameter_specs
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer

WORDS = Tokenizer.words(["ash bud elm fir leaf moss oak root"])
"""Eight words and the three special tokens: the vocabulary of `SMALL`."""

SMALL = ModelConfig(
    vocab_size=11, block_size=6, n_layer=2, n_head=4, n_embd=8, d_mlp=12, head_bias=True
)

OPTIONS: dict[str, dict[str, Any]] = {
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
}
"""What differs from `SMALL`, by a name that a failing test can be known by."""


def small_config(option="as it is"):
    return SMALL.replace(**OPTIONS[option])


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
