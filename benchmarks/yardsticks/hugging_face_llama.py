"""Hugging Face's Llama with given weights, in the fastest of its ordinary ways on a CPU."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.rotary import Rotary

LINEAR = {
    "self_attn.q_proj": "attn.w_q",
    "self_attn.k_proj": "attn.w_k",
    "self_attn.v_proj": "attn.w_v",
    "self_attn.o_proj": "attn.w_o",
    "mlp.gate_proj": "mlp.w_gate",
    "mlp.up_proj": "mlp.w_in",
    "mlp.down_proj": "mlp.w_out",
}
NORMS = {"input_layernorm": "norm1.gamma", "post_attention_layernorm": "norm2.gamma"}


def model_of(config: ModelConfig, parameters: Mapping[str, np.ndarray]) -> LlamaForCausalLM:
    """The model of this shape, which has a tied head and no biases, with these weights."""
    rotary = config.rotary or Rotary()
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=config.vocab_size,
            hidden_size=config.n_embd,
            intermediate_size=config.d_mlp,
            num_hidden_layers=config.n_layer,
            num_attention_heads=config.n_head,
            num_key_value_heads=config.n_kv_head,
            max_position_embeddings=config.block_size,
            rms_norm_eps=config.norm_epsilon,
            rope_parameters={"rope_type": "default", "rope_theta": rotary.base},
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=None,
        )
    ).eval()
    missing, unexpected = model.load_state_dict(state_of(config, parameters), strict=False)
    assert missing == ["lm_head.weight"], missing  # tied to the token embedding
    assert not unexpected, unexpected
    return model


def state_of(config: ModelConfig, parameters: Mapping[str, np.ndarray]) -> dict[str, torch.Tensor]:
    """Pellucid's parameters under Hugging Face's names."""
    named = {
        "embed_tokens": parameters["token_embedding"],
        "norm": parameters["final_norm.gamma"],
    }
    for i in range(config.n_layer):
        for theirs, ours in NORMS.items():
            named[f"layers.{i}.{theirs}"] = parameters[f"blocks.{i}.{ours}"]
        for theirs, ours in LINEAR.items():
            named[f"layers.{i}.{theirs}"] = parameters[f"blocks.{i}.{ours}"].T
    return {f"model.{name}.weight": torch.tensor(value) for name, value in named.items()}
