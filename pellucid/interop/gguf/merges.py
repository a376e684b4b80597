"""Which tokens of a GGUF file are merged into which, and in what order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokenizers import models

from pellucid.errors import PellucidError
from pellucid.interop.gguf.special_tokens import PREFIX
from pellucid.interop.gguf.vocabulary import strings

LONGEST = 256
"""Of a token that is taken apart: others have never been made of pairs."""


def pairs(said: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The pairs that a file says are merged, first ones first.

    Raises:
        PellucidError: one of them is no pair.
    """
    found = []
    for merge in strings(said, "merges"):
        # A blank never stands in a token: bytes below 33 have letters of their own.
        first, blank, second = merge.partition(" ")
        if not (first and blank and second):
            raise PellucidError(f"{PREFIX}merges has {merge!r}, which is not two tokens.")
        found.append((first, second))
    return found


def byte_pair_model(
    by_token: dict[str, int], merges: list[tuple[str, str]], **options: Any
) -> models.BPE:
    """The library's model of tokens and merges.

    Raises:
        PellucidError: a merge has or makes something that is no token.
    """
    try:
        return models.BPE(by_token, merges, **options)
    except Exception as error:  # The library raises nothing more precise.
        raise PellucidError(f"{PREFIX}merges does not fit the tokens: {error}.") from None


def rebuilt(
    tokens: Sequence[str], scores: Sequence[float], made: Sequence[bool]
) -> list[tuple[str, str]]:
    """The pairs that make the tokens of a vocabulary, those of the highest score first.

    Args:
        tokens: by id, each once.
        scores: of each.
        made: whether it is made of pairs at all.
    """
    known = {token for token, is_made in zip(tokens, made, strict=True) if is_made}
    found = [
        (-score, -cut, cut - len(token), token[:cut], token[cut:])
        for token, score, is_made in zip(tokens, scores, made, strict=True)
        if is_made and len(token) <= LONGEST
        for cut in range(1, len(token))
        if token[:cut] in known and token[cut:] in known
    ]
    # Of one score, which is mostly of one token, the longer first part comes first.
    found.sort(key=lambda each: each[:3])
    return [(first, second) for *_, first, second in found]
