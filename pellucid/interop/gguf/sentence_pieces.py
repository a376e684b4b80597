"""Tokenizers of the kind `llama` in GGUF files: SentencePiece's byte pairs, a space written as ▁.

A file of this kind has no merges. Two neighbours are merged if their union is a token, those of
the highest score first; what no token spells is spelled by tokens of single bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tokenizers
from tokenizers import decoders, normalizers, pre_tokenizers

from pellucid.errors import PellucidError
from pellucid.interop.gguf.merges import byte_pair_model, pairs, rebuilt
from pellucid.interop.gguf.special_tokens import PREFIX, put_around, token_id, wanted
from pellucid.interop.gguf.vocabulary import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    add_tokens,
    strings,
    types_of,
)

SPACE = "▁"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """What an architecture does otherwise than Llama; no file says it."""

    in_order: bool = False
    """Whether tokens are merged in their own order, whatever their scores."""
    plain_spaces: bool = False
    """Whether tokens of several spaces are written with spaces, and no text begins with another."""
    always_prefixed: bool = False
    """Whether a text that begins with a space gets another one before it all the same."""


GEMMA = Manner(in_order=True, plain_spaces=True)
MANNERS: Mapping[str, Manner] = {
    "gemma": GEMMA,
    "gemma2": GEMMA,
    "gemma3": GEMMA,
    "phi3": Manner(always_prefixed=True),
}
"""By `general.architecture`."""


def sentence_pieces(said: Mapping[str, Any], architecture: str) -> tokenizers.Tokenizer:
    """A tokenizer of these tokens and scores.

    Args:
        said: fields of the file, their prefix taken off.
        architecture: `general.architecture`.

    Raises:
        PellucidError: the fields do not fit, or ask for something that is not honoured.
    """
    manner = MANNERS.get(architecture, Manner())
    refuse_more(said)
    tokens = strings(said, "tokens")
    types = types_of(said, tokens)
    if manner.plain_spaces:
        # They are made of their parts, as any other, and not looked for in a text.
        types = np.where([is_blank(token) for token in tokens], NORMAL, types)
        tokens = [SPACE * len(token) if is_blank(token) else token for token in tokens]
    by_token = {token: id for id, token in enumerate(tokens)}
    if len(by_token) != len(tokens):
        raise PellucidError(f"{PREFIX}tokens has one token twice.")
    unknown = token_id(said, "unknown_token_id", len(tokens))
    merges = pairs(said) if "merges" in said else merges_of(said, tokens, types, manner)
    model = byte_pair_model(
        by_token,
        merges,
        unk_token=None if unknown is None else tokens[unknown],
        fuse_unk=True,
        byte_fallback=True,
    )
    inner = tokenizers.Tokenizer(model)
    set_spaces(inner, manner, prefixed=wanted(said, "add_space_prefix", True))
    add_tokens(inner, tokens, types)
    put_around(inner, tokens, said, starts=True)
    return inner


def is_blank(token: str) -> bool:
    """Whether a token is several spaces and nothing else."""
    return len(token) > 1 and not token.strip(" ")


def refuse_more(said: Mapping[str, Any]) -> None:
    """Refuse what files of this kind do not ask for, as another kind does."""
    if said.get("precompiled_charsmap") is not None:
        raise PellucidError(f"{PREFIX}precompiled_charsmap is not honoured.")
    if wanted(said, "remove_extra_whitespaces", False):
        raise PellucidError(f"{PREFIX}remove_extra_whitespaces=True is not honoured.")


def merges_of(
    said: Mapping[str, Any], tokens: Sequence[str], types: np.ndarray, manner: Manner
) -> list[tuple[str, str]]:
    """The merges that a vocabulary stands for, first ones first."""
    scores = said.get("scores")
    if not isinstance(scores, np.ndarray) or len(scores) != len(tokens):
        raise PellucidError(f"{PREFIX}scores is not a number for each of {len(tokens)} tokens.")
    if not np.isfinite(scores).all():
        raise PellucidError(f"{PREFIX}scores has a number that is not finite.")
    ranked = -np.arange(len(tokens)) if manner.in_order else scores
    # The spelling of what stands for no text is text: it is not made of its letters.
    made = [type not in (UNKNOWN, CONTROL, BYTE) for type in types]
    return rebuilt(tokens, ranked.tolist(), made)


def set_spaces(inner: tokenizers.Tokenizer, manner: Manner, *, prefixed: bool) -> None:
    """Have spaces written as ▁, one more put first, and both undone."""
    prefixed = prefixed and not manner.plain_spaces
    if manner.always_prefixed and prefixed:
        inner.normalizer = normalizers.Sequence(
            [normalizers.Prepend(SPACE), normalizers.Replace(" ", SPACE)]
        )
    else:
        inner.pre_tokenizer = pre_tokenizers.Metaspace(
            SPACE, prepend_scheme="first" if prefixed else "never", split=False
        )
    steps = [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    inner.decoder = decoders.Sequence([*steps, *([decoders.Strip(" ", 1, 0)] if prefixed else [])])
