"""Granite 3: IBM, 2024. Llama with four multipliers."""

from __future__ import annotations

from pellucid.interop.huggingface.families.llama import NAMES, attention_biases, llama_like, turned
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings


def config(settings: Settings) -> Fields:
    """Our config of a Granite."""
    return {
        **turned(settings, llama_like(settings, block_size=2048)),
        **attention_biases(settings),
        "mlp_bias": settings.flag("mlp_bias", False),
        "embedding_scale": settings.number("embedding_multiplier", 1.0),
        "attention_scale": settings.number("attention_multiplier", 1.0),
        "residual_multiplier": settings.number("residual_multiplier", 1.0),
        "logit_multiplier": 1 / settings.number("logits_scaling", 1.0),
    }


GRANITE = Family(config=config, names=NAMES, prefix="model.", classes=("GraniteForCausalLM",))
