"""OLMo 2: Walsh et al., 2024. Llama that normalises what is added to the stream."""

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
    """Our config of an OLMo 2."""
    fields = llama_like(settings, block_size=2048, usual_epsilon=1e-5)
    return {
        **turned(settings, fields),
        **attention_biases(settings),
        "norm_position": "output",
        "query_key_norm": "all",
    }


OLMO2 = Family(
    config=config,
    names={
        **{ours: theirs for ours, theirs in NAMES.items() if ours not in ("norm1", "norm2")},
        "norm1_post": f"{BLOCK}post_attention_layernorm",
        "norm2_post": f"{BLOCK}post_feedforward_layernorm",
        "attn.q_norm": f"{BLOCK}self_attn.q_norm",
        "attn.k_norm": f"{BLOCK}self_attn.k_norm",
    },
    prefix="model.",
    classes=("Olmo2ForCausalLM",),
)
