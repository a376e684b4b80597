"""The tokenizer that a GGUF file carries, made anew with the `tokenizers` library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers

from pellucid.errors import PellucidError, did_you_mean
from pellucid.interop.gguf.special_tokens import (
    PREFIX,
    chat_template,
    is_text,
    put_around,
    special_tokens,
)
from pellucid.text.tokenizer import Tokenizer

CONTROL, USER_DEFINED = 3, 4
"""Types of tokens: those that stand for no text, and those found in it before it is split."""

# The GPT-4 split, and Qwen's of single digits. Source: the tokenizer.json of Llama 3 and Qwen 2.
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{digits}"
    r"| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """What happens to a text before pairs are merged, as one word of the file says it."""

    before: str = ""
    """A regular expression: what it finds is split off by itself, before anything else."""
    words: str = ""
    """A regular expression whose matches are the pieces; GPT-2's own unless given."""
    whole_words: bool = False
    """Whether a piece that is a token stays whole, whatever the merges would make of it."""
    composed: bool = False
    """Whether characters are composed first (Unicode's NFC)."""
    starts: bool = False
    """Whether the start token comes first, where the file does not say."""


DIGITS = Split(before=r"\p{N}")
BY_THREE = WORDS.format(digits=r"\p{N}{1,3}")
SPLITS: Mapping[str, Split] = {
    "gpt-2": Split(),
    "smollm": DIGITS,
    "starcoder": DIGITS,
    "refact": DIGITS,
    "command-r": Split(before=r"\p{N}", composed=True),
    "llama-bpe": Split(words=BY_THREE, whole_words=True, starts=True),
    "dbrx": Split(words=BY_THREE),
    "qwen2": Split(words=WORDS.format(digits=r"\p{N}"), composed=True),
}
"""By `tokenizer.ggml.pre`; `refact` is Granite's."""


def tokenizer_in(fields: Mapping[str, Any]) -> Tokenizer | None:
    """The tokenizer in the fields of a file; None where it has none.

    Raises:
        PellucidError: it is of a kind that is not known for certain, or its parts do not fit.
    """
    said = {
        name.removeprefix(PREFIX): value
        for name, value in fields.items()
        if name.startswith(PREFIX)
    }
    kind = said.get("model", "none")
    if kind == "none":
        return None
    if kind != "gpt2":
        raise PellucidError(
            f"{PREFIX}model={kind!r} is not read: byte pairs (gpt2) are. Import the model from its "
            f"Hugging Face folder instead, which has a tokenizer.json."
        )
    pre = said.get("pre")
    if not isinstance(pre, str) or pre not in SPLITS:
        near = did_you_mean(pre, SPLITS) if isinstance(pre, str) else ""
        raise PellucidError(
            f"{PREFIX}pre={pre!r} is not known: how it splits a text is not certain. "
            f"Those that are: {', '.join(SPLITS)}.{near}"
        )
    inner = byte_pairs(said, SPLITS[pre])
    special = special_tokens(said, inner.get_vocab_size())
    return Tokenizer(inner, special=special, chat_template=chat_template(fields))


def byte_pairs(said: Mapping[str, Any], split: Split) -> tokenizers.Tokenizer:
    """A byte-level tokenizer of these tokens and merges."""
    tokens = strings(said, "tokens")
    by_token = {token: id for id, token in enumerate(tokens)}
    if len(by_token) != len(tokens):
        raise PellucidError(f"{PREFIX}tokens has one token twice.")
    try:
        model = models.BPE(by_token, pairs(said), ignore_merges=split.whole_words)
    except Exception as error:  # The library raises nothing more precise.
        raise PellucidError(f"{PREFIX}merges does not fit the tokens: {error}.") from None
    inner = tokenizers.Tokenizer(model)
    if split.composed:
        inner.normalizer = normalizers.NFC()
    inner.pre_tokenizer = pre_tokenizers.Sequence(splitters(split))
    inner.decoder = decoders.ByteLevel()
    add_tokens(inner, tokens, said.get("token_type"))
    put_around(inner, tokens, said, starts=split.starts)
    return inner


def splitters(split: Split) -> list[pre_tokenizers.PreTokenizer]:
    """The steps in which a text is split."""
    steps = [
        pre_tokenizers.Split(Regex(pattern), "isolated")
        for pattern in (split.before, split.words)
        if pattern
    ]
    return [*steps, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not split.words)]


def strings(said: Mapping[str, Any], name: str) -> list[str]:
    """A field that is a list of texts."""
    values = said.get(name)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise PellucidError(f"{PREFIX}{name} is missing or not a list of texts.")
    for value in values:
        if not is_text(value):
            raise PellucidError(f"{PREFIX}{name} has {value!r}, which is not UTF-8.")
    return values


def pairs(said: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The pairs that are merged, first ones first."""
    found = []
    for merge in strings(said, "merges"):
        # A blank never stands in a token: bytes below 33 have letters of their own.
        first, blank, second = merge.partition(" ")
        if not (first and blank and second):
            raise PellucidError(f"{PREFIX}merges has {merge!r}, which is not two tokens.")
        found.append((first, second))
    return found


def add_tokens(inner: tokenizers.Tokenizer, tokens: Sequence[str], types: Any) -> None:
    """Tell the library which tokens are not made of pairs."""
    if types is None:
        return
    if not isinstance(types, np.ndarray):
        raise PellucidError(f"{PREFIX}token_type is not a list of numbers.")
    if len(types) != len(tokens):
        raise PellucidError(f"{PREFIX}token_type has {len(types)} types for {len(tokens)} tokens.")
    of_type = {
        kind: [AddedToken(t, normalized=False) for t, type in zip(tokens, types, strict=True)
               if type == kind and t]
        for kind in (CONTROL, USER_DEFINED)
    }  # fmt: skip
    inner.add_special_tokens(of_type[CONTROL])
    inner.add_tokens(of_type[USER_DEFINED])
