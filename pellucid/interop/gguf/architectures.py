"""The architectures of GGUF files, told in the words of `config.json`.

Each is one of the families of `interop/huggingface`, which makes our config of those words, so that
what a family is stands in one place. A field that is not read here is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError, did_you_mean
from pellucid.interop.gguf.arrays import GgufArrays
from pellucid.interop.gguf.names import PAIRED
from pellucid.interop.huggingface.entries import Entry
from pellucid.interop.huggingface.families import FAMILIES
from pellucid.interop.huggingface.family import Layout
from pellucid.interop.huggingface.folder import read_config
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """One value of `general.architecture`."""

    family: str
    """The `model_type` of the same models."""
    words: Callable[[Source], Words]
    """What their `config.json` says, as far as a file says it."""
    names: Mapping[str, str | Entry] = field(default_factory=lambda: PAIRED)


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
    words = architecture.words(source)
    source.settings.done()
    config = read_config(FAMILIES[architecture.family], words)
    return config, Layout(names=architecture.names, prefix="")


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


def llama(source: Source) -> Words:
    """Llama, and Mistral, which files call so too."""
    source.settings.only("expert_count", 0)
    source.settings.only("expert_used_count", 0)
    return {"model_type": "llama", **rms_like(source), **biases(source)}


ARCHITECTURES: dict[str, Architecture] = {
    "llama": Architecture(family="llama", words=llama),
}
