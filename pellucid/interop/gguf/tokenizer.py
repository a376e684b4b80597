"""The tokenizer that a GGUF file carries, made anew with the `tokenizers` library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tokenizers
from tokenizers import Regex, decoders, normalizers, pre_tokenizers

from pellucid.errors import PellucidError, did_you_mean
from pellucid.interop.gguf.merges import byte_pair_model, pairs
from pellucid.interop.gguf.sentence_pieces import sentence_pieces
from pellucid.interop.gguf.special_tokens import PREFIX, chat_template, put_around, special_tokens
from pellucid.interop.gguf.vocabulary import add_tokens, strings, types_of
from pellucid.text.tokenizer import Tokenizer

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
    if kind == "gpt2":
        inner = byte_pairs(said, find_split(said.get("pre")))
    elif kind == "llama":
        inner = sentence_pieces(said, str(fields.get("general.architecture")))
    else:
        raise PellucidError(
            f"{PREFIX}model={kind!r} is not read: byte pairs (gpt2) and SentencePiece's (llama) "
            "are. Import the model from its Hugging Face folder instead, which has a "
            "tokenizer.json."
        )
    special = special_tokens(said, inner.get_vocab_size())
    return Tokenizer(inner, special=special, chat_template=chat_template(fields))


def find_split(pre: Any) -> Split:
    """What happens to a text before pairs are merged, by the file's word for it.

    Raises:
        PellucidError: the word is not known.
    """
    if not isinstance(pre, str) or pre not in SPLITS:
        near = did_you_mean(pre, SPLITS) if isinstance(pre, str) else ""
        raise PellucidError(
            f"{PREFIX}pre={pre!r} is not known: how it splits a text is not certain. "
            f"Those that are: {', '.join(SPLITS)}.{near}"
        )
    return SPLITS[pre]


def byte_pairs(said: Mapping[str, Any], split: Split) -> tokenizers.Tokenizer:
    """A byte-level tokenizer of these tokens and merges."""
    tokens = strings(said, "tokens")
    by_token = {token: id for id, token in enumerate(tokens)}
    if len(by_token) != len(tokens):
        raise PellucidError(f"{PREFIX}tokens has one token twice.")
    model = byte_pair_model(by_token, pairs(said), ignore_merges=split.whole_words)
    inner = tokenizers.Tokenizer(model)
    if split.composed:
        inner.normalizer = normalizers.NFC()
    inner.pre_tokenizer = pre_tokenizers.Sequence(splitters(split))
    inner.decoder = decoders.ByteLevel()
    add_tokens(inner, tokens, types_of(said, tokens))
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
