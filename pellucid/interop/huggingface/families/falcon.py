"""Falcon: Almazrouei et al., 2023. One block for the 7B, another for the 40B, a plain one."""

from __future__ import annotations

from pellucid.decoder.config import ModelConfig
from pellucid.interop.huggingface.activations import activation
from pellucid.interop.huggingface.entries import Entry
from pellucid.interop.huggingface.family import Family, Fields, fused
from pellucid.interop.huggingface.rotary import rotary_fields
from pellucid.interop.huggingface.settings import Settings

BLOCK = "transformer.h.{i}."


def config(settings: Settings) -> Fields:
    """Our config of a Falcon."""
    # transformers rounds a Falcon's slopes to bfloat16 anew at each distance.
    settings.only("alibi", False)
    settings.only("apply_residual_connection_post_layernorm", False)
    n_head, n_embd = settings.whole("num_attention_heads"), settings.whole("hidden_size")
    bias = settings.flag("bias", False)
    return {
        "vocab_size": settings.whole("vocab_size"),
        "n_layer": settings.layers("num_hidden_layers"),
        "n_head": n_head,
        "n_kv_head": key_heads(settings, n_head),
        "n_embd": n_embd,
        "d_mlp": settings("ffn_hidden_size", 0),
        "norm_epsilon": settings.number("layer_norm_epsilon", 1e-5),
        "activation": activation(settings, "activation", "gelu"),
        **rotary_fields(
            settings,
            d_head=n_embd // n_head,
            block_size=settings.whole("max_position_embeddings", 2048),
        ),
        **norms(settings),
        "attention_bias": bias,
        "attention_output_bias": bias,
        "mlp_bias": bias,
        "tied_head": settings.flag("tie_word_embeddings", True),
    }


def key_heads(settings: Settings, n_head: int) -> int:
    """How many key and value heads there are."""
    given = settings("num_kv_heads", n_head)
    if settings.flag("new_decoder_architecture", False):
        settings("multi_query", True)
        return int(given)
    if settings.flag("multi_query", True):
        return 1
    settings.only("num_kv_heads", n_head)
    return n_head


def norms(settings: Settings) -> Fields:
    """Whether the halves of a block read the same stream, and the same norm of it."""
    parallel = settings.flag("parallel_attn", True)
    is_new = settings.flag("new_decoder_architecture", False)
    if is_new:
        settings.only("parallel_attn", True)
    else:
        settings.only("num_ln_in_parallel_attn", 1)
    shared = parallel and settings("num_ln_in_parallel_attn", 2 if is_new else 1) == 1
    return {"parallel_block": parallel, "shared_norm": shared}


def names(config: ModelConfig) -> dict[str, str | Entry]:
    """Where a Falcon's arrays lie: parallel halves with two norms call them otherwise."""
    two = config.parallel_block and not config.shared_norm
    return {
        "token_embedding": "transformer.word_embeddings",
        "final_norm": "transformer.ln_f",
        "head": "lm_head",
        "norm1": f"{BLOCK}{'ln_attn' if two else 'input_layernorm'}",
        "norm2": f"{BLOCK}{'ln_mlp' if two else 'post_attention_layernorm'}",
        **fused(f"{BLOCK}self_attention.query_key_value", by_group=True),
        "attn.o": f"{BLOCK}self_attention.dense",
        "mlp.in": f"{BLOCK}mlp.dense_h_to_4h",
        "mlp.out": f"{BLOCK}mlp.dense_4h_to_h",
    }


FALCON = Family(config=config, names=names, prefix="transformer.", classes=("FalconForCausalLM",))
