"""What the architectures of GGUF files say alike, told in the words of `config.json`."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nextafter
from typing import Any

import numpy as np

from pellucid.errors import PellucidError
from pellucid.interop.gguf.arrays import GgufArrays
from pellucid.interop.huggingface.settings import Settings
from pellucid.ops.half import widen

Words = dict[str, Any]
"""Fields of a `config.json`."""
TABLES = ("rope_freqs.weight", "rope_factors_short.weight", "rope_factors_long.weight")
"""Arrays that are settings: by how much each pair of a head is slowed down."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a file says of its architecture, and the arrays from which the rest is seen."""

    settings: Settings
    arrays: GgufArrays

    def has(self, name: str) -> bool:
        """Whether there is an array of that name."""
        return name in self.arrays

    def table(self, name: str) -> list[float]:
        """The numbers of an array that is a setting."""
        array = widen(self.arrays[name])
        if array.ndim != 1 or array.size > 1024:
            raise PellucidError(f"{name} is {list(array.shape)}: that is no table of factors.")
        return [shortest(float(value)) for value in array]


def plain(value: Any) -> Any:
    """A field as `config.json` would have it: the shortest number that is the same float32."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return shortest(value) if isinstance(value, float) else value


def shortest(value: float) -> float:
    """1e-5 for 9.999999747e-06; a number that float32 does not hold stays as it is."""
    single = np.float32(value)
    return float(str(single)) if float(single) == value else value


def sizes(source: Source) -> Words:
    """What every architecture says."""
    settings = source.settings
    # Of files, of the program that wrote them, or of nothing that a logit depends on.
    for name in ("vocab_size", "tensor_data_layout", "rope.scaling.finetuned"):
        settings(name, None)
    settings.only("attention.causal", True)
    n_head, n_layer = settings.whole("attention.head_count"), settings.whole("block_count")
    table = source.arrays.shape("token_embd.weight")
    if len(table) != 2:
        raise PellucidError(f"token_embd.weight is {list(table)}: that is no table.")
    # Before anything is made for each layer that there is not.
    if n_layer > len(source.arrays):
        raise settings.refusal("block_count", f"the file has {len(source.arrays)} arrays")
    return {
        "vocab_size": table[0],
        "max_position_embeddings": settings.whole("context_length"),
        "num_hidden_layers": n_layer,
        "hidden_size": settings.whole("embedding_length"),
        "intermediate_size": settings.whole("feed_forward_length"),
        "num_attention_heads": n_head,
        "num_key_value_heads": settings.whole("attention.head_count_kv", n_head),
        "tie_word_embeddings": not source.has("output.weight"),
    }


def head_size(source: Source, words: Words) -> int:
    """How many numbers a head has."""
    settings = source.settings
    usual = words["hidden_size"] // words["num_attention_heads"]
    size = settings.whole("attention.key_length", usual)
    settings.only("attention.value_length", size)
    return size


def rms_like(source: Source) -> Words:
    """A stack with RMS norms and rotary positions of whole heads."""
    words = sizes(source)
    size = head_size(source, words)
    source.settings.only("rope.dimension_count", size)
    return {
        **words,
        "head_dim": size,
        "rms_norm_eps": source.settings.number("attention.layer_norm_rms_epsilon"),
        **rotary(source, words["max_position_embeddings"]),
    }


def rotary(source: Source, context: int) -> Words:
    """The base of the angles, and how they are scaled."""
    settings = source.settings
    base = settings.number("rope.freq_base", 10_000.0)
    # The first files said a linear factor alone.
    old = settings("rope.scale_linear", None)
    kind = settings("rope.scaling.type", "none" if old is None else "linear")
    factor = settings("rope.scaling.factor", old)
    original = settings("rope.scaling.original_context_length", None)
    if source.has("rope_freqs.weight"):
        settings.only("rope.scaling.type", "none")
        return {"rope_theta": base, "rope_parameters": slowed(source, context)}
    if kind == "none":
        return {"rope_theta": base}
    if kind not in ("linear", "yarn"):
        raise settings.refusal("rope.scaling.type")
    scaling = {"rope_type": kind, "factor": factor}
    if kind == "yarn":
        scaling["original_max_position_embeddings"] = original
    return {"rope_theta": base, "rope_parameters": scaling}


def slowed(source: Source, context: int) -> Words:
    """Llama 3's scaling, which a file keeps as one factor for each pair of a head."""
    factors = source.table("rope_freqs.weight")
    return {
        "rope_type": "longrope",
        "factor": 1.0,
        "attention_factor": 1.0,
        "original_max_position_embeddings": context,
        "short_factor": factors,
        "long_factor": factors,
    }


def biases(source: Source) -> Words:
    """Which projections have them, seen from the first block; each block's are read."""
    return {
        "attention_bias": source.has("blk.0.attn_q.bias"),
        "mlp_bias": source.has("blk.0.ffn_up.bias"),
    }


def layer_like(source: Source, epsilon: str = "layer_norm_eps") -> Words:
    """A stack with layer norms, its positions left to the caller."""
    words = sizes(source)
    return {**words, epsilon: source.settings.number("attention.layer_norm_epsilon")}


def turned_share(source: Source, size: int) -> Words:
    """How much of each head is turned."""
    width = source.settings.whole("rope.dimension_count", size)
    # The family makes a whole number of the product again, and rounds down.
    return {"partial_rotary_factor": nextafter(width / size, inf)}


def partly_turned(source: Source) -> Words:
    """A stack with layer norms and rotary positions, a part of each head turned."""
    words = layer_like(source)
    size = head_size(source, words)
    return {
        **words,
        **rotary(source, words["max_position_embeddings"]),
        **turned_share(source, size),
    }
