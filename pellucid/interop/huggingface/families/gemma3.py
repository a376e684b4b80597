"""Gemma 3, its text model: Kamath et al., 2025. Positions of their own for layers with a window."""

from __future__ import annotations

from typing import Any

from pellucid.interop.huggingface.families.gemma import gemma_like
from pellucid.interop.huggingface.families.gemma2 import SANDWICH_NAMES, capped
from pellucid.interop.huggingface.families.llama import BLOCK
from pellucid.interop.huggingface.families.windows import window_by_layer
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.rotary import read_rotary
from pellucid.interop.huggingface.settings import Settings

FAR, NEAR = "full_attention", "sliding_attention"
BASES = {FAR: 1_000_000.0, NEAR: 10_000.0}


def config(settings: Settings) -> Fields:
    """Our config of a Gemma 3."""
    settings("hidden_act", None)
    # transformers has the field and passes it over.
    settings.only("attn_logit_softcapping")
    fields = gemma_like(settings, act="hidden_activation", block_size=131_072, key_heads=4)
    return {
        **fields,
        **windows(settings, fields["n_layer"]),
        **positions(settings, fields),
        **capped(settings, score=None, logit=None),
        "norm_position": "sandwich",
        "query_key_norm": "head",
    }


def windows(settings: Settings, n_layer: int) -> Fields:
    """All but each sixth layer have one, unless the file says otherwise."""
    every = settings.first("sliding_window_pattern", "_sliding_window_pattern", default=6)
    return window_by_layer(
        settings,
        n_layer=n_layer,
        window=settings.whole("sliding_window", 4096),
        pattern=[(i + 1) % every != 0 for i in range(n_layer)],
    )


def positions(settings: Settings, fields: Fields) -> Fields:
    """Rotary positions of layers that see everything, and of those with a window."""
    d_head, context = fields["d_head"], fields["block_size"]
    given = dict(settings("rope_parameters", {}))
    old: Any = settings("rope_scaling", None)
    unknown = given.keys() - BASES.keys()
    if unknown:
        raise settings.refusal("rope_parameters", f"{min(unknown)} is no kind of layer")
    far, block_size = read_rotary(
        old or given.get(FAR) or {},
        d_head=d_head,
        block_size=context,
        base=settings.number("rope_theta", BASES[FAR]),
    )
    near, _ = read_rotary(
        given.get(NEAR) or {},
        d_head=d_head,
        block_size=context,
        base=settings.number("rope_local_base_freq", BASES[NEAR]),
    )
    return {
        "position": "rotary",
        "rotary": far,
        "block_size": block_size,
        "local_rotary": near,
    }


GEMMA3 = Family(
    config=config,
    names={
        **SANDWICH_NAMES,
        "attn.q_norm": f"{BLOCK}self_attn.q_norm",
        "attn.k_norm": f"{BLOCK}self_attn.k_norm",
    },
    prefix="model.",
    classes=("Gemma3ForCausalLM",),
)
