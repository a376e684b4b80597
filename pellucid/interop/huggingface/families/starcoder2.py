"""StarCoder2: Lozhkov et al., 2024. Llama's attention, GPT-2's feed-forward and norms."""

from __future__ import annotations

from pellucid.interop.huggingface.families.llama import BLOCK, STACK_NAMES, llama_like, turned
from pellucid.interop.huggingface.families.windows import window_everywhere
from pellucid.interop.huggingface.family import Family, Fields
from pellucid.interop.huggingface.settings import Settings


def config(settings: Settings) -> Fields:
    """Our config of a StarCoder2."""
    bias = settings.flag("use_bias", True)
    settings.only("mlp_type", "default")
    settings.only("norm_type", "layer_norm")
    fields = llama_like(
        settings,
        block_size=4096,
        key_heads=2,
        usual_act="gelu_pytorch_tanh",
        epsilon="norm_epsilon",
        usual_epsilon=1e-5,
        tied=True,
    )
    return {
        **turned(settings, fields),
        **window_everywhere(settings),
        "norm": "layer",
        "norm_bias": True,
        "gated_mlp": False,
        "attention_bias": bias,
        "attention_output_bias": bias,
        "mlp_bias": bias,
    }


STARCODER2 = Family(
    config=config,
    names={**STACK_NAMES, "mlp.in": f"{BLOCK}mlp.c_fc", "mlp.out": f"{BLOCK}mlp.c_proj"},
    prefix="model.",
    classes=("Starcoder2ForCausalLM",),
)
