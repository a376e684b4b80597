"""GPT-NeoX, Pythia's kind: Black et al., 2022. Parallel blocks with two norms."""

from __future__ import annotations

from pellucid.interop.huggingface.activations import activation
from pellucid.interop.huggingface.family import Family, Fields, fused
from pellucid.interop.huggingface.rotary import rotary_fields
from pellucid.interop.huggingface.settings import Settings

BLOCK = "gpt_neox.layers.{i}."


def config(settings: Settings) -> Fields:
    """Our config of a GPT-NeoX."""
    n_head, n_embd = settings.whole("num_attention_heads"), settings.whole("hidden_size")
    bias = settings.flag("attention_bias", True)
    return {
        "vocab_size": settings.whole("vocab_size"),
        "n_layer": settings.layers("num_hidden_layers"),
        "n_head": n_head,
        "n_embd": n_embd,
        "d_mlp": settings.whole("intermediate_size"),
        "norm_epsilon": settings.number("layer_norm_eps", 1e-5),
        "activation": activation(settings, "hidden_act", "gelu"),
        **rotary_fields(
            settings,
            d_head=n_embd // n_head,
            block_size=settings.whole("max_position_embeddings", 2048),
            share=settings.number("rotary_pct", 0.25),
            base=settings.number("rotary_emb_base", 10_000.0),
        ),
        "parallel_block": settings.flag("use_parallel_residual", True),
        "attention_bias": bias,
        "attention_output_bias": bias,
        "tied_head": settings.flag("tie_word_embeddings", False),
    }


GPT_NEOX = Family(
    config=config,
    names={
        "token_embedding": "gpt_neox.embed_in",
        "final_norm": "gpt_neox.final_layer_norm",
        "head": "embed_out",
        "norm1": f"{BLOCK}input_layernorm",
        "norm2": f"{BLOCK}post_attention_layernorm",
        **fused(f"{BLOCK}attention.query_key_value", by_group=True),
        "attn.o": f"{BLOCK}attention.dense",
        "mlp.in": f"{BLOCK}mlp.dense_h_to_4h",
        "mlp.out": f"{BLOCK}mlp.dense_4h_to_h",
    },
    prefix="gpt_neox.",
    classes=("GPTNeoXForCausalLM",),
)
