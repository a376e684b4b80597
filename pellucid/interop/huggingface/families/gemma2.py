"""Gemma 2: Riviere et al., 2024. Four norms a block, capped scores and logits, windows."""

from __future__ import annotations

from pellucid.interop.huggingface.families.gemma import gemma_like
from pellucid.interop.huggingface.families.llama import BLOCK, NAMES, turned
from pellucid.interop.huggingface.families.windows import window_by_layer
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings

SANDWICH_NAMES = {
    **NAMES,
    "norm1_post": f"{BLOCK}post_attention_layernorm",
    "norm2": f"{BLOCK}pre_feedforward_layernorm",
    "norm2_post": f"{BLOCK}post_feedforward_layernorm",
}


def capped(settings: Settings, *, score: float | None, logit: float | None) -> Fields:
    """The caps, where the file does not say these, and the scale of the scores."""
    said = settings.fields
    settings("attn_logit_softcapping", None)
    settings("final_logit_softcapping", None)
    return {
        "attention_softcap": said.get("attn_logit_softcapping", score),
        "logit_softcap": said.get("final_logit_softcapping", logit),
        "attention_scale": settings.number("query_pre_attn_scalar", 256) ** -0.5,
    }


def config(settings: Settings) -> Fields:
    """Our config of a Gemma 2."""
    # A field of the first Gemma, which some files still have.
    settings("hidden_act", None)
    settings.only("sliding_window_size", settings("sliding_window", 4096))
    fields = gemma_like(settings, act="hidden_activation", block_size=8192, key_heads=4)
    n_layer = fields["n_layer"]
    windows = window_by_layer(
        settings,
        n_layer=n_layer,
        window=settings.whole("sliding_window", 4096),
        pattern=[i % 2 == 0 for i in range(n_layer)],
    )
    return {
        **turned(settings, fields),
        **windows,
        **capped(settings, score=50.0, logit=30.0),
        "norm_position": "sandwich",
    }


GEMMA2 = Family(
    config=config, names=SANDWICH_NAMES, prefix="model.", classes=("Gemma2ForCausalLM",)
)
