"""GPT-J: Wang and Komatsuzaki, 2021. Parallel blocks, rotary positions of neighbours."""

from __future__ import annotations

from pellucid.interop.huggingface.activations import activation
from pellucid.interop.huggingface.families.gpt2 import ALIASES, sizes
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings

BLOCK = "transformer.h.{i}."


def config(settings: Settings) -> Fields:
    """Our config of a GPT-J."""
    settings("rotary", None)
    settings.only("scale_attn_weights", True)
    fields = sizes(settings)
    return {
        **fields,
        "block_size": settings.whole("n_positions", 2048),
        "tied_head": settings.flag("tie_word_embeddings", False),
        "activation": activation(settings, "activation_function", "gelu_new"),
        "position": "rotary",
        "rotary": {"dim": settings.whole("rotary_dim", 64), "layout": "pairs"},
        "parallel_block": True,
        "shared_norm": True,
        "attention_bias": False,
        "attention_output_bias": False,
        "head_bias": True,
    }


GPTJ = Family(
    config=config,
    names={
        "token_embedding": "transformer.wte",
        "final_norm": "transformer.ln_f",
        "head": "lm_head",
        "norm1": f"{BLOCK}ln_1",
        "attn.q": f"{BLOCK}attn.q_proj",
        "attn.k": f"{BLOCK}attn.k_proj",
        "attn.v": f"{BLOCK}attn.v_proj",
        "attn.o": f"{BLOCK}attn.out_proj",
        "mlp.in": f"{BLOCK}mlp.fc_in",
        "mlp.out": f"{BLOCK}mlp.fc_out",
    },
    prefix="transformer.",
    classes=("GPTJForCausalLM",),
    aliases=ALIASES,
)
