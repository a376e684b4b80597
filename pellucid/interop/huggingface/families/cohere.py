"""Cohere's Command R: 2024. Parallel blocks of Llama's halves, layer norms without shifts."""

from __future__ import annotations

from pellucid.interop.huggingface.families.llama import (
    BLOCK,
    NAMES,
    attention_biases,
    llama_like,
    turned,
)
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings


def config(settings: Settings) -> Fields:
    """Our config of a Cohere."""
    fields = llama_like(
        settings, block_size=8192, epsilon="layer_norm_eps", usual_epsilon=1e-5, tied=True
    )
    return {
        **turned(settings, fields, base=500_000.0, layout="pairs"),
        **attention_biases(settings),
        "norm": "layer",
        "parallel_block": True,
        "shared_norm": True,
        "query_key_norm": "head_each" if settings.flag("use_qk_norm", False) else "none",
        "logit_multiplier": settings.number("logit_scale", 0.0625),
    }


COHERE = Family(
    config=config,
    names={
        **NAMES,
        "attn.q_norm": f"{BLOCK}self_attn.q_norm",
        "attn.k_norm": f"{BLOCK}self_attn.k_norm",
    },
    prefix="model.",
    classes=("CohereForCausalLM",),
)
