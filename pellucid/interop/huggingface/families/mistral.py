"""Mistral: Jiang et al., 2023. Llama with a window in every layer."""

from __future__ import annotations

from pellucid.interop.huggingface.families.llama import NAMES, llama_like, turned
from pellucid.interop.huggingface.families.windows import window_everywhere
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings


def config(settings: Settings) -> Fields:
    """Our config of a Mistral."""
    return {
        **turned(settings, llama_like(settings, block_size=4096 * 32, key_heads=8)),
        **window_everywhere(settings, default=4096),
    }


MISTRAL = Family(config=config, names=NAMES, prefix="model.", classes=("MistralForCausalLM",))
