"""Qwen3: Yang et al., 2025. Llama with normalised queries and keys."""

from __future__ import annotations

from pellucid.interop.huggingface.families.llama import (
    BLOCK,
    NAMES,
    attention_biases,
    llama_like,
    turned,
)
from pellucid.interop.huggingface.families.qwen2 import upper_windows
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings


def config(settings: Settings) -> Fields:
    """Our config of a Qwen3."""
    return {
        **turned(settings, llama_like(settings, block_size=32768, d_head=128, key_heads=32)),
        **attention_biases(settings),
        **upper_windows(settings),
        "query_key_norm": "head",
    }


QWEN3 = Family(
    config=config,
    names={
        **NAMES,
        "attn.q_norm": f"{BLOCK}self_attn.q_norm",
        "attn.k_norm": f"{BLOCK}self_attn.k_norm",
    },
    prefix="model.",
    classes=("Qwen3ForCausalLM",),
)
