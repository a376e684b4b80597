"""A family of models: how its `config.json` reads, and which names its arrays have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pellucid.decoder.config import ModelConfig
from pellucid.interop.huggingface.entries import Entry, QueryKeyValue, Whole
from pellucid.interop.huggingface.settings import Settings

Fields = dict[str, Any]
"""Of our config, by name."""
Names = Mapping[str, str | Entry]
"""Our modules, and where they lie."""
KINDS = {"gamma": "weight", "beta": "bias", "w": "weight", "b": "bias"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where a program keeps the arrays of a model.

    `names` has an entry for each of our modules: `attn.q` stands for `attn.w_q` and `attn.b_q`,
    `norm1` for its gain and shift. Those of a block stand without its number.
    """

    names: Names | Callable[[ModelConfig], Names]
    prefix: str
    """What a folder of the stack alone, without its head, leaves out of every name."""
    inward: bool = False
    """Whether the linear maps of blocks are kept as `[in, out]`, as ours, not as `[out, in]`."""

    def entries(self, config: ModelConfig) -> dict[str, Entry]:
        """Where each of our modules lies in a model of this config."""
        names = self.names(config) if callable(self.names) else self.names
        return {
            ours: Whole(theirs) if isinstance(theirs, str) else theirs
            for ours, theirs in names.items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Family(Layout):
    """What there is to know of one `model_type`."""

    config: Callable[[Settings], Fields]
    """Reads its `config.json`."""
    classes: tuple[str, ...]
    """The decoder's class in `transformers`."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other spellings of the fields of its `config.json`."""


@dataclass(frozen=True, slots=True)
class Place:
    """A parameter's name taken apart: `blocks.3.attn.w_q` is the weight of block 3's `attn.q`."""

    block: str
    """Its number; nothing outside the blocks."""
    module: str
    kind: str
    """`weight` or `bias`."""
    is_linear: bool


def place_of(name: str) -> Place:
    """Take a parameter's name apart."""
    block, local = "", name
    if found := re.fullmatch(r"blocks\.(\d+)\.(.*)", name):
        block, local = found.groups()
    scope, _, last = local.rpartition(".")
    letter, _, rest = last.partition("_")
    if letter in ("w", "b"):
        module = ".".join(part for part in (scope, rest) if part)
        return Place(block, module, KINDS[letter], is_linear=letter == "w")
    if last in KINDS:
        return Place(block, scope, KINDS[last], is_linear=False)
    return Place(block, local, "weight", is_linear=False)


def fused(path: str, *, by_group: bool = False) -> dict[str, Entry]:
    """The entries of queries, keys and values that lie in one array."""
    return {
        "attn.q": QueryKeyValue(path, "q", by_group),
        "attn.k": QueryKeyValue(path, "k", by_group),
        "attn.v": QueryKeyValue(path, "v", by_group),
    }
