"""BLOOM: BigScience, 2022. ALiBi positions, and a norm of the embeddings."""

from __future__ import annotations

from pellucid.interop.huggingface.family import Family, Fields, fused
from pellucid.interop.huggingface.settings import Settings

BLOCK = "transformer.h.{i}."
CONTEXT = 2048
"""Of its training: positions have no table, and no bound."""


def config(settings: Settings) -> Fields:
    """Our config of a BLOOM."""
    settings.only("apply_residual_connection_post_layernorm", False)
    # The order of sums, for bit-identity with its training.
    settings("slow_but_exact", False)
    settings.only("n_inner")
    # Words of earlier versions, which the program that wrote them passes over.
    for name in ("attention_softmax_in_fp32", "bias_dropout_fusion", "masked_softmax_fusion"):
        settings(name, None)
    settings("offset_alibi", None)
    settings("skip_bias_add", None)
    settings("skip_bias_add_qkv", None)
    settings("unk_token_id", None)
    return {
        "vocab_size": settings.whole("vocab_size"),
        "block_size": settings.whole("seq_length", CONTEXT),
        "n_layer": settings.layers("n_layer"),
        "n_head": settings.whole("n_head"),
        "n_embd": settings.whole("hidden_size"),
        "norm_epsilon": settings.number("layer_norm_epsilon", 1e-5),
        "activation": "gelu_tanh",
        "position": "alibi",
        "embedding_norm": True,
        "tied_head": settings.flag("tie_word_embeddings", True),
    }


BLOOM = Family(
    config=config,
    names={
        "token_embedding": "transformer.word_embeddings",
        "embed.norm": "transformer.word_embeddings_layernorm",
        "final_norm": "transformer.ln_f",
        "head": "lm_head",
        "norm1": f"{BLOCK}input_layernorm",
        "norm2": f"{BLOCK}post_attention_layernorm",
        **fused(f"{BLOCK}self_attention.query_key_value", by_group=True),
        "attn.o": f"{BLOCK}self_attention.dense",
        "mlp.in": f"{BLOCK}mlp.dense_h_to_4h",
        "mlp.out": f"{BLOCK}mlp.dense_4h_to_h",
    },
    prefix="transformer.",
    classes=("BloomForCausalLM",),
    aliases={
        "n_embed": "hidden_size",
        "num_attention_heads": "n_head",
        "num_hidden_layers": "n_layer",
    },
)
