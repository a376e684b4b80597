"""StableLM: Bellagente et al., 2024. Llama with layer norms, a quarter of each head turned."""

from __future__ import annotations

from pellucid.interop.huggingface.entries import ByHead
from pellucid.interop.huggingface.families.llama import BLOCK, NAMES, llama_like, turned
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings


def config(settings: Settings) -> Fields:
    """Our config of a StableLM."""
    parallel = settings.flag("use_parallel_residual", False)
    fields = llama_like(
        settings, block_size=4096, key_heads=32, epsilon="layer_norm_eps", usual_epsilon=1e-5
    )
    # transformers has no heads of another size here.
    settings.only("head_dim", fields["n_embd"] // fields["n_head"])
    return {
        **turned(settings, fields, share=0.25),
        "norm": "layer",
        "norm_bias": True,
        "parallel_block": parallel,
        "shared_norm": parallel,
        "attention_bias": settings.flag("use_qkv_bias", False),
        "query_key_norm": "head_each" if settings.flag("qk_layernorm", False) else "none",
    }


STABLELM = Family(
    config=config,
    names={
        **NAMES,
        "attn.q_norm": ByHead(f"{BLOCK}self_attn.q_layernorm.norms.{{j}}", "n_head"),
        "attn.k_norm": ByHead(f"{BLOCK}self_attn.k_layernorm.norms.{{j}}", "n_kv_head"),
    },
    prefix="model.",
    classes=("StableLmForCausalLM",),
)
