"""GPT-2: Radford et al., 2019. Its linear maps are kept as `[in, out]`."""

from __future__ import annotations

from pellucid.interop.huggingface.activations import activation
from pellucid.interop.huggingface.family import Family, Fields, fused
from pellucid.interop.huggingface.settings import Settings

NAMES = {
    "token_embedding": "transformer.wte",
    "position_embedding": "transformer.wpe",
    "final_norm": "transformer.ln_f",
    "head": "lm_head",
    "norm1": "transformer.h.{i}.ln_1",
    "norm2": "transformer.h.{i}.ln_2",
    "attn.o": "transformer.h.{i}.attn.c_proj",
    "mlp.in": "transformer.h.{i}.mlp.c_fc",
    "mlp.out": "transformer.h.{i}.mlp.c_proj",
}

ALIASES = {
    "hidden_size": "n_embd",
    "max_position_embeddings": "n_positions",
    "num_attention_heads": "n_head",
    "num_hidden_layers": "n_layer",
}


def sizes(settings: Settings) -> Fields:
    """What GPT-2 and its nearest kin say in the same words."""
    return {
        "vocab_size": settings.whole("vocab_size"),
        "block_size": settings.whole("n_positions", 1024),
        "n_layer": settings.layers("n_layer"),
        "n_head": settings.whole("n_head"),
        "n_embd": settings.whole("n_embd"),
        "d_mlp": settings("n_inner", 0),
        "norm_epsilon": settings.number("layer_norm_epsilon", 1e-5),
        "tied_head": settings.flag("tie_word_embeddings", True),
    }


def config(settings: Settings) -> Fields:
    """Our config of a GPT-2."""
    settings.only("scale_attn_by_inverse_layer_idx", False)
    # It changes the order of two products, for the sake of float16.
    settings("reorder_and_upcast_attn", False)
    return {
        **sizes(settings),
        "activation": activation(settings, "activation_function", "gelu_new"),
        "attention_scale": None if settings.flag("scale_attn_weights", True) else 1.0,
    }


GPT2 = Family(
    config=config,
    names={**NAMES, **fused("transformer.h.{i}.attn.c_attn")},
    prefix="transformer.",
    classes=("GPT2LMHeadModel",),
    inward=True,
    aliases=ALIASES,
)
