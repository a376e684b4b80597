"""GPT-Neo: Black et al., 2021. Unscaled scores, and every other layer looks through a window."""

from __future__ import annotations

from typing import Any

from pellucid.errors import PellucidError
from pellucid.interop.huggingface.activations import activation
from pellucid.interop.huggingface.families.gpt2 import NAMES
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings

ATTENTION = "transformer.h.{i}.attn.attention."


def config(settings: Settings) -> Fields:
    """Our config of a GPT-Neo."""
    n_layer = settings.layers("num_layers")
    local = local_layers(settings, n_layer)
    window = settings.whole("window_size", 256)
    return {
        "vocab_size": settings.whole("vocab_size"),
        "block_size": settings.whole("max_position_embeddings", 2048),
        "n_layer": n_layer,
        "n_head": settings.whole("num_heads"),
        "n_embd": settings.whole("hidden_size"),
        "d_mlp": settings("intermediate_size", 0),
        "norm_epsilon": settings.number("layer_norm_epsilon", 1e-5),
        "activation": activation(settings, "activation_function", "gelu_new"),
        "attention_bias": False,
        "attention_scale": 1.0,
        "tied_head": settings.flag("tie_word_embeddings", True),
        **({"window": window, "window_layers": local} if any(local) else {}),
    }


def local_layers(settings: Settings, n_layer: int) -> tuple[bool, ...]:
    """Which layers look through the window: `attention_types`, written out."""
    given: Any = settings("attention_types", [[["global", "local"], (n_layer + 1) // 2]])
    try:
        kinds = [kind for pattern, times in given for kind in list(pattern) * min(times, n_layer)]
    except (TypeError, ValueError):
        raise settings.refusal("attention_types") from None
    if set(kinds) - {"global", "local"} or len(kinds) < n_layer:
        raise settings.refusal("attention_types", f"it is of {len(kinds)} layers, not {n_layer}")
    said = settings("attention_layers", kinds[:n_layer])
    if said != kinds[:n_layer]:
        raise PellucidError("attention_layers and attention_types do not agree.")
    return tuple(kind == "local" for kind in kinds[:n_layer])


GPT_NEO = Family(
    config=config,
    names={
        **NAMES,
        "attn.q": f"{ATTENTION}q_proj",
        "attn.k": f"{ATTENTION}k_proj",
        "attn.v": f"{ATTENTION}v_proj",
        "attn.o": f"{ATTENTION}out_proj",
    },
    prefix="transformer.",
    classes=("GPTNeoForCausalLM",),
    aliases={"num_attention_heads": "num_heads", "num_hidden_layers": "num_layers"},
)
