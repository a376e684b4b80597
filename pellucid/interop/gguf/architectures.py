"""The architectures of GGUF files, each one of the families of `interop/huggingface`.

Here is what a file says of a model, in the words of that family's `config.json`; the family makes
our config of them, so that what it is stands in one place. A field that is not read is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError, did_you_mean
from pellucid.interop.gguf import names
from pellucid.interop.gguf.arrays import GgufArrays
from pellucid.interop.gguf.words import (
    Source,
    Words,
    biases,
    head_size,
    layer_like,
    partly_turned,
    plain,
    rms_like,
    rotary,
    sizes,
    turned_share,
)
from pellucid.interop.huggingface.families import FAMILIES
from pellucid.interop.huggingface.family import Layout, Names
from pellucid.interop.huggingface.folder import read_config
from pellucid.interop.huggingface.settings import Settings


@dataclass(frozen=True, slots=True)
class Architecture:
    """One value of `general.architecture`."""

    family: str
    """The `model_type` of the same models."""
    words: Callable[[Source], Words]
    """What their `config.json` says, as far as a file says it."""
    names: Names | Callable[[ModelConfig], Names]
    """Where their arrays lie."""
    fused: Names | None = None
    """The same in files that have queries, keys and values in one array, where some do."""


def find_architecture(fields: Mapping[str, Any]) -> tuple[str, Architecture]:
    """The architecture that a file names.

    Raises:
        PellucidError: it names none that is known.
    """
    name = fields.get("general.architecture")
    if not isinstance(name, str) or name not in ARCHITECTURES:
        near = did_you_mean(name, ARCHITECTURES) if isinstance(name, str) else ""
        raise PellucidError(
            f"general.architecture={name!r} is one that cannot be read."
            + (near or f" There are {', '.join(ARCHITECTURES)}.")
        )
    return name, ARCHITECTURES[name]


def read_description(fields: Mapping[str, Any], arrays: GgufArrays) -> tuple[ModelConfig, Layout]:
    """Our config of what a file says, and where its arrays lie.

    Raises:
        PellucidError: the architecture is unknown, or a field is missing or not honoured.
    """
    name, architecture = find_architecture(fields)
    prefix = f"{name}."
    said = {
        key.removeprefix(prefix): plain(value)
        for key, value in fields.items()
        if key.startswith(prefix)
    }
    source = Source(Settings(said, prefix), arrays)
    words = {"model_type": architecture.family, **architecture.words(source)}
    source.settings.done()
    config = read_config(FAMILIES[architecture.family], words)
    is_fused = architecture.fused is not None and source.has("blk.0.attn_qkv.weight")
    return config, Layout(
        names=(architecture.fused or {}) if is_fused else architecture.names, prefix=""
    )


def llama(source: Source) -> Words:
    """Llama, and Mistral without a window, which files call so too."""
    source.settings.only("expert_count", 0)
    source.settings.only("expert_used_count", 0)
    return rms_like(source) | biases(source)


def qwen3(source: Source) -> Words:
    """Qwen3, and the other kin of Llama that have no biases in their feed-forward."""
    return rms_like(source) | {"attention_bias": source.has("blk.0.attn_q.bias")}


def granite(source: Source) -> Words:
    """Granite: four multipliers more."""
    settings = source.settings
    return llama(source) | {
        "attention_multiplier": settings.number("attention.scale"),
        "embedding_multiplier": settings.number("embedding_scale"),
        "residual_multiplier": settings.number("residual_scale"),
        "logits_scaling": settings.number("logit_scale"),
    }


def query_scale(words: Words, largest: int) -> float:
    """What scores are divided by the root of: no file says it.

    The size of a head, but for the largest model of the family, which is known by its layers.
    """
    if words["num_hidden_layers"] == largest:
        return float(words["hidden_size"] / words["num_attention_heads"])
    return float(words["head_dim"])


def gemma2(source: Source) -> Words:
    """Gemma 2: two caps, and a window in every other layer."""
    settings, words = source.settings, qwen3(source)
    settings.only("attention.sliding_window_pattern", 2)
    return words | {
        "sliding_window": settings.whole("attention.sliding_window"),
        "attn_logit_softcapping": settings.number("attn_logit_softcapping"),
        "final_logit_softcapping": settings.number("final_logit_softcapping"),
        "query_pre_attn_scalar": query_scale(words, largest=46),
    }


def gemma3(source: Source) -> Words:
    """Gemma 3: windows in five of six layers, which have angles of their own."""
    settings, words = source.settings, qwen3(source)
    settings.only("attention.sliding_window_pattern", 6)
    scaling = words.pop("rope_parameters", None)
    return words | {
        "rope_scaling": scaling,
        "rope_theta": settings.number("rope.freq_base", 1_000_000.0),
        "rope_local_base_freq": settings.number("rope.freq_base_swa", 10_000.0),
        "sliding_window": settings.whole("attention.sliding_window"),
        "final_logit_softcapping": settings("final_logit_softcapping", None),
        "query_pre_attn_scalar": query_scale(words, largest=62),
    }


def stablelm(source: Source) -> Words:
    """StableLM: layer norms, a part of each head turned."""
    return partly_turned(source) | {
        "use_parallel_residual": source.settings.flag("use_parallel_residual", False),
        "use_qkv_bias": source.has("blk.0.attn_q.bias"),
        "qk_layernorm": source.has("blk.0.attn_q_norm.weight"),
    }


def gpt_neox(source: Source) -> Words:
    """GPT-NeoX: as many keys as queries."""
    words = partly_turned(source)
    source.settings.only("attention.head_count_kv", words.pop("num_key_value_heads"))
    return words | {
        "use_parallel_residual": source.settings.flag("use_parallel_residual", True),
        "attention_bias": source.has("blk.0.attn_qkv.bias"),
    }


def bloom(source: Source) -> Words:
    """BLOOM: ALiBi positions."""
    settings, words = source.settings, layer_like(source, "layer_norm_epsilon")
    settings.only("attention.head_count_kv", words.pop("num_key_value_heads"))
    settings.only("feed_forward_length", 4 * words["hidden_size"])
    del words["intermediate_size"]
    context = words.pop("max_position_embeddings")
    return words | {"seq_length": context}


def phi3(source: Source) -> Words:
    """Phi-3 to Phi-4: RMS norms, a window where it is not 0, factors for each pair."""
    settings, words = source.settings, sizes(source)
    size = head_size(source, words)
    words |= {
        "head_dim": size,
        "rms_norm_eps": settings.number("attention.layer_norm_rms_epsilon"),
        "sliding_window": settings("attention.sliding_window") or None,
        **turned_share(source, size),
    }
    if not source.has("rope_factors_long.weight"):
        return words | rotary(source, words["max_position_embeddings"])
    original = settings.whole("rope.scaling.original_context_length")
    settings.only("rope.scaling.type", "longrope")
    return words | {
        "rope_theta": settings.number("rope.freq_base", 10_000.0),
        "original_max_position_embeddings": original,
        "rope_parameters": {
            "rope_type": "longrope",
            "attention_factor": settings.number("rope.scaling.attn_factor"),
            "short_factor": source.table("rope_factors_short.weight"),
            "long_factor": source.table("rope_factors_long.weight"),
        },
    }


def falcon(source: Source) -> Words:
    """Falcon: parallel blocks, one key head for all, or for each group of queries."""
    settings, words = source.settings, layer_like(source, "layer_norm_epsilon")
    size = words["hidden_size"] // words["num_attention_heads"]
    for name in ("attention.key_length", "attention.value_length", "rope.dimension_count"):
        settings.only(name, size)
    n_kv_head, two = words.pop("num_key_value_heads"), source.has("blk.0.attn_norm_2.weight")
    is_new = two or n_kv_head not in (1, words["num_attention_heads"])
    inner = words.pop("intermediate_size")
    return {
        **words,
        **rotary(source, words["max_position_embeddings"]),
        "ffn_hidden_size": inner,
        "num_kv_heads": n_kv_head,
        "multi_query": n_kv_head == 1,
        "new_decoder_architecture": is_new,
        "num_ln_in_parallel_attn": 2 if two else 1,
        "bias": source.has("blk.0.attn_qkv.bias"),
    }


def starcoder2(source: Source) -> Words:
    """StarCoder2: layer norms and biases."""
    words = layer_like(source, "norm_epsilon")
    size = head_size(source, words)
    source.settings.only("rope.dimension_count", size)
    return {
        **words,
        **rotary(source, words["max_position_embeddings"]),
        "use_bias": source.has("blk.0.attn_q.bias"),
    }


def cohere(source: Source) -> Words:
    """Command R: layer norms without shifts, scaled logits."""
    words = layer_like(source)
    size = head_size(source, words)
    source.settings.only("rope.dimension_count", size)
    return {
        **words,
        **rotary(source, words["max_position_embeddings"]),
        "logit_scale": source.settings.number("logit_scale"),
        "use_qk_norm": source.has("blk.0.attn_q_norm.weight"),
    }


def gpt2(source: Source) -> Words:
    """GPT-2: learned positions."""
    words = layer_like(source, "layer_norm_epsilon")
    inner = words.pop("intermediate_size")
    source.settings.only("attention.head_count_kv", words["num_attention_heads"])
    del words["num_key_value_heads"]
    return words | {"n_inner": inner}


ARCHITECTURES: dict[str, Architecture] = {
    "bloom": Architecture("bloom", bloom, names.BLOOM),
    "command-r": Architecture("cohere", cohere, names.STACK),
    "falcon": Architecture("falcon", falcon, names.falcon),
    "gemma": Architecture("gemma", qwen3, names.GEMMA),
    "gemma2": Architecture("gemma2", gemma2, names.GEMMA2),
    "gemma3": Architecture("gemma3_text", gemma3, names.GEMMA2),
    "gpt2": Architecture("gpt2", gpt2, names.GPT2),
    "gptneox": Architecture("gpt_neox", gpt_neox, names.FUSED),
    "granite": Architecture("granite", granite, names.PAIRED),
    "llama": Architecture("llama", llama, names.PAIRED),
    "olmo2": Architecture("olmo2", qwen3, names.OLMO2),
    "phi2": Architecture("phi", partly_turned, names.STACK, fused=names.FUSED),
    "phi3": Architecture("phi3", phi3, names.PHI3),
    "qwen2": Architecture("qwen2", rms_like, names.STACK),
    "qwen3": Architecture("qwen3", qwen3, names.STACK),
    "smollm3": Architecture("smollm3", llama, names.PAIRED),
    "stablelm": Architecture("stablelm", stablelm, names.STACK),
    "starcoder2": Architecture("starcoder2", starcoder2, names.STACK),
}
