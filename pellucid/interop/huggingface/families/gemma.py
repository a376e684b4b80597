"""Gemma: Mesnard et al., 2024. Llama with a GELU gate, scaled embeddings, gains kept as 1 + w."""

from __future__ import annotations

from math import sqrt

from pellucid.interop.huggingface.families.llama import (
    NAMES,
    attention_biases,
    llama_like,
    turned,
)
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings

ACTIVATION = "gelu_pytorch_tanh"


def gemma_like(settings: Settings, *, act: str, block_size: int, key_heads: int) -> Fields:
    """What the three Gemmas share, but for their positions; `act` names the activation's field."""
    settings.only("use_bidirectional_attention", False)
    fields = llama_like(
        settings,
        block_size=block_size,
        d_head=256,
        key_heads=key_heads,
        act=act,
        usual_act=ACTIVATION,
        tied=True,
    )
    return {
        **fields,
        **attention_biases(settings),
        "norm_unit_offset": True,
        "embedding_scale": sqrt(fields["n_embd"]),
    }


def config(settings: Settings) -> Fields:
    """Our config of a Gemma."""
    fields = gemma_like(settings, act="hidden_act", block_size=8192, key_heads=16)
    settings.only("hidden_activation", ACTIVATION)
    # The first releases say "gelu" where its approximation by tanh is meant.
    meant = "gelu_tanh" if fields["activation"] == "gelu" else fields["activation"]
    return {**turned(settings, fields), "activation": meant}


GEMMA = Family(config=config, names=NAMES, prefix="model.", classes=("GemmaForCausalLM",))
