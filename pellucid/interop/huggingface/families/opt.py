"""OPT: Zhang et al., 2022. Learned positions that begin with the third row of their table."""

from __future__ import annotations

from pellucid.interop.huggingface.activations import activation
from pellucid.interop.huggingface.entries import Behind
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings

STACK = "model.decoder."
BLOCK = "model.decoder.layers.{i}."
UNUSED_ROWS = 2


def config(settings: Settings) -> Fields:
    """Our config of an OPT."""
    n_embd = settings.whole("hidden_size")
    # Narrower embeddings than the stream (350M) would pass through a projection.
    settings.only("word_embed_proj_dim", n_embd)
    settings.only("layer_norm_elementwise_affine", True)
    norm_first = settings.flag("do_layer_norm_before", True)
    no_final_norm = settings.flag("_remove_final_layer_norm", False)
    bias = settings.flag("enable_bias", True)
    return {
        "vocab_size": settings.whole("vocab_size"),
        "block_size": settings.whole("max_position_embeddings", 2048),
        "n_layer": settings.layers("num_hidden_layers"),
        "n_head": settings.whole("num_attention_heads"),
        "n_embd": n_embd,
        "d_mlp": settings.whole("ffn_dim"),
        "norm_position": "pre" if norm_first else "post",
        "final_norm": norm_first and not no_final_norm,
        "activation": activation(settings, "activation_function", "relu"),
        "attention_bias": bias,
        "attention_output_bias": bias,
        "mlp_bias": bias,
        "tied_head": settings.flag("tie_word_embeddings", True),
    }


OPT = Family(
    config=config,
    names={
        "token_embedding": f"{STACK}embed_tokens",
        "position_embedding": Behind(f"{STACK}embed_positions", UNUSED_ROWS),
        "final_norm": f"{STACK}final_layer_norm",
        "head": "lm_head",
        "norm1": f"{BLOCK}self_attn_layer_norm",
        "norm2": f"{BLOCK}final_layer_norm",
        "attn.q": f"{BLOCK}self_attn.q_proj",
        "attn.k": f"{BLOCK}self_attn.k_proj",
        "attn.v": f"{BLOCK}self_attn.v_proj",
        "attn.o": f"{BLOCK}self_attn.out_proj",
        "mlp.in": f"{BLOCK}fc1",
        "mlp.out": f"{BLOCK}fc2",
    },
    prefix="model.",
    classes=("OPTForCausalLM",),
)
