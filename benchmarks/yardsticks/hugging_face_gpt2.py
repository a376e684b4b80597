"""Hugging Face's GPT-2 with given weights, in the fastest of its ordinary ways on a CPU."""

from collections.abc import Mapping

import numpy as np
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from pellucid.decoder.config import ModelConfig

QKV = ("attn.c_attn", "attn.w_{}", "attn.b_{}")
LINEAR = {
    "attn.c_proj": ("attn.w_o", "attn.b_o"),
    "mlp.c_fc": ("mlp.w_in", "mlp.b_in"),
    "mlp.c_proj": ("mlp.w_out", "mlp.b_out"),
    "ln_1": ("norm1.gamma", "norm1.beta"),
    "ln_2": ("norm2.gamma", "norm2.beta"),
}
"""A module's name there, and the names here of its `weight` and `bias` (`[in, out]` in both)."""


def model_of(config: ModelConfig, parameters: Mapping[str, np.ndarray]) -> GPT2LMHeadModel:
    """The model of this shape with these weights."""
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=config.vocab_size,
            n_positions=config.block_size,
            n_embd=config.n_embd,
            n_layer=config.n_layer,
            n_head=config.n_head,
            bos_token_id=None,
            eos_token_id=None,
        )
    ).eval()
    missing, unexpected = model.load_state_dict(state_of(config, parameters), strict=False)
    assert missing == ["lm_head.weight"] or not missing, missing  # tied to the token embedding
    assert not unexpected, unexpected
    return model


def state_of(config: ModelConfig, parameters: Mapping[str, np.ndarray]) -> dict[str, torch.Tensor]:
    """Pellucid's parameters under Hugging Face's names."""
    named = {
        "wte.weight": parameters["token_embedding"],
        "wpe.weight": parameters["position_embedding"],
        "ln_f.weight": parameters["final_norm.gamma"],
        "ln_f.bias": parameters["final_norm.beta"],
    }
    for i in range(config.n_layer):
        here, there = f"blocks.{i}.", f"h.{i}."
        module, *parts = QKV
        for kind, part in zip(("weight", "bias"), parts, strict=True):
            three = [parameters[here + part.format(letter)] for letter in "qkv"]
            named[f"{there}{module}.{kind}"] = np.concatenate(three, axis=-1)
        for module, (weight, bias) in LINEAR.items():
            named[f"{there}{module}.weight"] = parameters[here + weight]
            named[f"{there}{module}.bias"] = parameters[here + bias]
    return {f"transformer.{name}": torch.tensor(value) for name, value in named.items()}
