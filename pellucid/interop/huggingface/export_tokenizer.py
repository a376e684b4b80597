"""A tokenizer as `transformers` opens it: `tokenizer.json`, and which tokens are special."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from pellucid.interop.huggingface.export_weights import write_json
from pellucid.text.tokenizer import Tokenizer
from pellucid.text.tokenizer_folder import TOKENIZER

SETTINGS = "tokenizer_config.json"

QWEN2 = "qwen2"
QWEN2_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""Its pieces of text, within which pairs are merged."""


def families_with_another(tokenizer: Tokenizer | None) -> tuple[str, ...]:
    """The families as which `transformers` would not open this tokenizer as it is.

    It makes that of a Qwen2 anew from vocabulary and merges, whatever the folder says of the rest.
    """
    return () if tokenizer is None or is_like_qwen2(tokenizer) else (QWEN2,)


def is_like_qwen2(tokenizer: Tokenizer) -> bool:
    """Whether it splits texts and merges bytes as that of Qwen2 does."""
    said = msgspec.json.decode(tokenizer.to_json())
    model, pieces = said["model"], parts_of(said["pre_tokenizer"])
    return (
        model["type"] == "BPE"
        and not any(model.get(name) for name in ("unk_token", "byte_fallback", "ignore_merges"))
        and said["normalizer"] == {"type": "NFC"}
        and (said["decoder"] or {}).get("type") == "ByteLevel"
        and [piece["type"] for piece in pieces] == ["Split", "ByteLevel"]
        and pieces[0]["pattern"] == {"Regex": QWEN2_WORDS}
        and pieces[0]["behavior"] == "Isolated"
        and not pieces[1]["add_prefix_space"]
        and not pieces[1]["use_regex"]
        and tokenizer.prompt("") == []
    )


def parts_of(splitter: Any) -> list[dict[str, Any]]:
    """What cuts a text into pieces, one step after the other."""
    parts: list[dict[str, Any]] = (splitter or {}).get("pretokenizers", [])
    return parts


def write_tokenizer(tokenizer: Tokenizer, folder: Path, *, block_size: int) -> None:
    """Write a tokenizer's files.

    Raises:
        OSError: they cannot be written.
    """
    tokenizer.save(folder / TOKENIZER)
    special = tokenizer.special
    # Not what stands for unknown words: transformers would leave it out of decoded texts.
    named = {"bos_token": special.start, "eos_token": special.end, "pad_token": special.pad}
    spelled = {name: tokenizer.tokens[id] for name, id in named.items() if id is not None}
    template = tokenizer.chat_template
    settings = {
        # The class that takes tokenizer.json as it is.
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": block_size,
        "clean_up_tokenization_spaces": False,
        **spelled,
        **({} if template is None else {"chat_template": template}),
    }
    write_json(settings, folder / SETTINGS)
