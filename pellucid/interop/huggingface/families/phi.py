"""Phi-1 to Phi-2: Gunasekar et al., 2023. Parallel blocks with biases everywhere."""

from __future__ import annotations

from pellucid.interop.huggingface.families.llama import BLOCK, STACK_NAMES, llama_like, turned
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings


def config(settings: Settings) -> Fields:
    """Our config of a Phi."""
    normalised = settings.flag("qk_layernorm", False)
    fields = llama_like(
        settings,
        block_size=2048,
        usual_act="gelu_new",
        epsilon="layer_norm_eps",
        usual_epsilon=1e-5,
    )
    if normalised:
        # transformers makes these norms as wide as heads are usually.
        settings.only("head_dim", fields["n_embd"] // fields["n_head"])
    return {
        **turned(settings, fields, share=0.5),
        "norm": "layer",
        "norm_bias": True,
        "gated_mlp": False,
        "parallel_block": True,
        "shared_norm": True,
        "query_key_norm": "head" if normalised else "none",
        "query_key_norm_bias": normalised,
        "attention_bias": True,
        "attention_output_bias": True,
        "mlp_bias": True,
        "head_bias": True,
    }


PHI = Family(
    config=config,
    names={
        **STACK_NAMES,
        "final_norm": "model.final_layernorm",
        "attn.o": f"{BLOCK}self_attn.dense",
        "attn.q_norm": f"{BLOCK}self_attn.q_layernorm",
        "attn.k_norm": f"{BLOCK}self_attn.k_layernorm",
        "mlp.in": f"{BLOCK}mlp.fc1",
        "mlp.out": f"{BLOCK}mlp.fc2",
    },
    prefix="model.",
    classes=("PhiForCausalLM",),
)
