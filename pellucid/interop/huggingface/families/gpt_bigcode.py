"""GPT-BigCode, StarCoder's kind: GPT-2 with one key and value head for all queries, if it says so.

Ben Allal et al., "SantaCoder" (2023).
"""

from __future__ import annotations

from pellucid.interop.huggingface.activations import activation
from pellucid.interop.huggingface.families.gpt2 import ALIASES, NAMES, sizes
from pellucid.interop.huggingface.family import Family, Fields, fused
from pellucid.interop.huggingface.settings import Settings


def config(settings: Settings) -> Fields:
    """Our config of a GPT-BigCode."""
    multi_query = settings.flag("multi_query", True)
    n_head = settings.whole("n_head")
    n_kv_head = 1 if multi_query else n_head
    settings.only("num_key_value_heads", n_kv_head)
    # How the softmax is rounded in 16 bits.
    for name in ("attention_softmax_in_fp32", "scale_attention_softmax_in_fp32"):
        settings(name, True)
    for name in ("inference_runner", "max_batch_size", "max_sequence_length", "pad_key_length"):
        settings(name, None)
    settings("pre_allocate_kv_cache", None)
    settings("validate_runner_input", None)
    return {
        **sizes(settings),
        "n_kv_head": n_kv_head,
        "activation": activation(settings, "activation_function", "gelu_pytorch_tanh"),
        "attention_scale": None if settings.flag("scale_attn_weights", True) else 1.0,
    }


GPT_BIGCODE = Family(
    config=config,
    # With several key heads the three lie head by head; with one the two orders are the same.
    names={**NAMES, **fused("transformer.h.{i}.attn.c_attn", by_group=True)},
    prefix="transformer.",
    classes=("GPTBigCodeForCausalLM",),
    aliases=ALIASES,
)
