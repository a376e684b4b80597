"""SmolLM3: Bakouch et al., 2025. Llama in which each fourth layer has no positions."""

from __future__ import annotations

from typing import Any

from pellucid.interop.huggingface.families.llama import NAMES, attention_biases, llama_like, turned
from pellucid.interop.huggingface.families.windows import window_by_layer
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings


def config(settings: Settings) -> Fields:
    """Our config of a SmolLM3."""
    settings("max_window_layers", None)
    fields = llama_like(settings, block_size=32768, key_heads=4, tied=True)
    turns = turning_layers(settings, fields["n_layer"])
    # Without layer_types the window is of the layers without positions.
    used = settings.flag("use_sliding_window", False)
    window = settings("sliding_window", None)
    windows = window_by_layer(
        settings,
        n_layer=fields["n_layer"],
        window=window,
        pattern=[used and window is not None and not turn for turn in turns],
    )
    return {
        **turned(settings, fields, base=2_000_000.0),
        **attention_biases(settings),
        **windows,
        "mlp_bias": settings.flag("mlp_bias", False),
        "rotary_layers": () if all(turns) else turns,
    }


def turning_layers(settings: Settings, n_layer: int) -> tuple[bool, ...]:
    """Which layers have positions: those with a 1, in spite of the field's name."""
    every = settings.whole("no_rope_layer_interval", 4)
    given: Any = settings("no_rope_layers", None)
    if given is None:
        return tuple((i + 1) % every != 0 for i in range(n_layer))
    if not isinstance(given, list) or len(given) != n_layer or set(given) - {0, 1}:
        raise settings.refusal("no_rope_layers", f"it is not a 0 or 1 for each of {n_layer} layers")
    return tuple(bool(flag) for flag in given)


SMOLLM3 = Family(config=config, names=NAMES, prefix="model.", classes=("SmolLM3ForCausalLM",))
