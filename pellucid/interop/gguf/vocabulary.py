"""The tokens of a GGUF file, and what each of them is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tokenizers
from tokenizers import AddedToken

from pellucid.errors import PellucidError
from pellucid.interop.gguf.special_tokens import PREFIX, is_text

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""Types of tokens: control ones stand for no text, user-defined are found before it is split."""


def strings(said: Mapping[str, Any], name: str) -> list[str]:
    """A field that is a list of texts.

    Raises:
        PellucidError: it is not there, or something else.
    """
    values = said.get(name)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise PellucidError(f"{PREFIX}{name} is missing or not a list of texts.")
    for value in values:
        if not is_text(value):
            raise PellucidError(f"{PREFIX}{name} has {value!r}, which is not UTF-8.")
    return values


def types_of(said: Mapping[str, Any], tokens: Sequence[str]) -> np.ndarray:
    """The type of each token; normal, all of them, where the file does not say.

    Raises:
        PellucidError: there are more or fewer, or they are no numbers.
    """
    types = said.get("token_type")
    if types is None:
        return np.full(len(tokens), NORMAL)
    if not isinstance(types, np.ndarray):
        raise PellucidError(f"{PREFIX}token_type is not a list of numbers.")
    if len(types) != len(tokens):
        raise PellucidError(f"{PREFIX}token_type has {len(types)} types for {len(tokens)} tokens.")
    return types


def add_tokens(inner: tokenizers.Tokenizer, tokens: Sequence[str], types: np.ndarray) -> None:
    """Tell the library which tokens are not made of their letters."""

    def of_type(*wanted: int) -> list[AddedToken]:
        return [AddedToken(token, normalized=False)
                for token, type in zip(tokens, types, strict=True)
                if type in wanted and token]  # fmt: skip

    inner.add_special_tokens(of_type(CONTROL, UNKNOWN))
    inner.add_tokens(of_type(USER_DEFINED))
