"""Phi-3 to Phi-4: Abdin et al., 2024. Llama with fused arrays, a window, and longrope."""

from __future__ import annotations

from pellucid.errors import PellucidError
from pellucid.interop.huggingface.entries import Half
from pellucid.interop.huggingface.families.llama import BLOCK, STACK_NAMES, llama_like, turned
from pellucid.interop.huggingface.families.windows import window_everywhere
from pellucid.interop.huggingface.family import Family, Fields, fused
from pellucid.interop.huggingface.settings import Settings


def config(settings: Settings) -> Fields:
    """Our config of a Phi-3."""
    # Fields of Phi-4-mini, which transformers passes over.
    settings.only("attention_bias", False)
    settings.only("lm_head_bias", False)
    settings.only("mlp_bias", False)
    settings.only("full_attn_mod", 1)
    settings.only("interpolate_factor", 1)
    fields = llama_like(settings, block_size=4096, usual_epsilon=1e-5)
    fields = turned(settings, fields, share=1.0, original=4096, aliases={"yarn": "longrope"})
    scaling = fields["rotary"]["scaling"]
    if scaling is not None:
        # transformers counts their factors by heads of the usual size.
        settings.only("head_dim", fields["n_embd"] // fields["n_head"])
    if scaling is not None and scaling["kind"] != "longrope":
        raise PellucidError(f"rope_type={scaling['kind']!r} is not honoured: Phi-3 has longrope.")
    return {**fields, **window_everywhere(settings)}


PHI3 = Family(
    config=config,
    names={
        **STACK_NAMES,
        **fused(f"{BLOCK}self_attn.qkv_proj"),
        "mlp.gate": Half(f"{BLOCK}mlp.gate_up_proj", 0),
        "mlp.in": Half(f"{BLOCK}mlp.gate_up_proj", 1),
        "mlp.out": f"{BLOCK}mlp.down_proj",
    },
    prefix="model.",
    classes=("Phi3ForCausalLM",),
)
