"""Llama 2 and 3: Touvron et al., 2023. RMS norms, rotary positions, a gate: as most have since."""

from __future__ import annotations

from typing import Any

from pellucid.interop.huggingface.activations import activation
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.rotary import rotary_fields
from pellucid.interop.huggingface.settings import Settings

BLOCK = "model.layers.{i}."
STACK_NAMES = {
    "token_embedding": "model.embed_tokens",
    "final_norm": "model.norm",
    "head": "lm_head",
    "norm1": f"{BLOCK}input_layernorm",
    "norm2": f"{BLOCK}post_attention_layernorm",
    "attn.q": f"{BLOCK}self_attn.q_proj",
    "attn.k": f"{BLOCK}self_attn.k_proj",
    "attn.v": f"{BLOCK}self_attn.v_proj",
    "attn.o": f"{BLOCK}self_attn.o_proj",
}
GATED_NAMES = {
    "mlp.gate": f"{BLOCK}mlp.gate_proj",
    "mlp.in": f"{BLOCK}mlp.up_proj",
    "mlp.out": f"{BLOCK}mlp.down_proj",
}
NAMES = {**STACK_NAMES, **GATED_NAMES}


def llama_like(
    settings: Settings,
    *,
    block_size: int,
    d_head: int | None = None,
    key_heads: int | None = None,
    act: str = "hidden_act",
    usual_act: str = "silu",
    epsilon: str = "rms_norm_eps",
    usual_epsilon: float = 1e-6,
    tied: bool = False,
) -> Fields:
    """A stack of Llama's blocks, without biases and without positions.

    Args:
        settings: of the model.
        block_size: the context, where the file does not say.
        d_head: the size of a head, where the file does not say; `n_embd / n_head` unless given.
        key_heads: how many key and value heads, where the file does not say; as many as of queries
            unless given.
        act: the field that names the activation.
        usual_act: the activation, where the file does not say.
        epsilon: the field of the norms' ε.
        usual_epsilon: ε, where the file does not say.
        tied: whether the head is, where the file does not say.
    """
    n_head, n_embd = settings.whole("num_attention_heads"), settings.whole("hidden_size")
    # A null stands for as many as of queries in every family.
    is_said = "num_key_value_heads" in settings.fields
    key_heads = n_head if is_said or key_heads is None else key_heads
    return {
        "vocab_size": settings.whole("vocab_size"),
        "block_size": settings.whole("max_position_embeddings", block_size),
        "n_layer": settings.layers("num_hidden_layers"),
        "n_head": n_head,
        "n_kv_head": settings.whole("num_key_value_heads", key_heads),
        "n_embd": n_embd,
        "d_head": settings.whole("head_dim", d_head or n_embd // n_head),
        "d_mlp": settings.whole("intermediate_size"),
        "norm": "rms",
        "norm_epsilon": settings.number(epsilon, usual_epsilon),
        "norm_bias": False,
        "activation": activation(settings, act, usual_act),
        "gated_mlp": True,
        "attention_bias": False,
        "attention_output_bias": False,
        "mlp_bias": False,
        "tied_head": settings.flag("tie_word_embeddings", tied),
    }


def turned(settings: Settings, fields: Fields, **options: Any) -> Fields:
    """The same stack with rotary positions; options as of `rotary_fields`."""
    return fields | rotary_fields(
        settings, d_head=fields["d_head"], block_size=fields["block_size"], **options
    )


def attention_biases(settings: Settings) -> Fields:
    """Of all four projections, or of none."""
    bias = settings.flag("attention_bias", False)
    return {"attention_bias": bias, "attention_output_bias": bias}


def config(settings: Settings) -> Fields:
    """Our config of a Llama."""
    settings.only("is_llama_config", True)
    settings.only("rope_interleaved", False)
    return {
        **turned(settings, llama_like(settings, block_size=2048)),
        **attention_biases(settings),
        "mlp_bias": settings.flag("mlp_bias", False),
    }


LLAMA = Family(config=config, names=NAMES, prefix="model.", classes=("LlamaForCausalLM",))
