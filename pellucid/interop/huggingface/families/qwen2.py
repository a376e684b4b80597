"""Qwen2 and Qwen2.5: Yang et al., 2024. Llama with biases on queries, keys and values."""

from __future__ import annotations

from pellucid.interop.huggingface.families.llama import NAMES, llama_like, turned
from pellucid.interop.huggingface.families.windows import window_by_layer
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings


def config(settings: Settings) -> Fields:
    """Our config of a Qwen2."""
    settings.only("use_mrope", False)
    return {
        **turned(settings, llama_like(settings, block_size=32768, key_heads=32)),
        **upper_windows(settings),
        "attention_bias": True,
    }


def upper_windows(settings: Settings) -> Fields:
    """The window of the layers from `max_window_layers` on, if it is used at all."""
    n_layer = settings.layers("num_hidden_layers")
    first = settings("max_window_layers", 28)
    window = settings("sliding_window", 4096)
    used = window if settings.flag("use_sliding_window", False) else None
    pattern = [used is not None and i >= first for i in range(n_layer)]
    return window_by_layer(settings, n_layer=n_layer, window=used, pattern=pattern)


QWEN2 = Family(config=config, names=NAMES, prefix="model.", classes=("Qwen2ForCausalLM",))
