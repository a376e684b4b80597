"""What a GGUF file says of special tokens: which of them begin, end and fill up texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tokenizers
from tokenizers import processors

from pellucid.errors import PellucidError
from pellucid.text.special_tokens import SpecialTokens

PREFIX = "tokenizer.ggml."
TEMPLATE = "tokenizer.chat_template"
STOPS = ("eos_token_id", "eot_token_id", "eom_token_id")
"""The end of a text, of a turn and of a message: at each of them a generation is over."""


def special_tokens(said: Mapping[str, Any], size: int) -> SpecialTokens:
    """Special tokens by what they are for, as far as there are such tokens.

    Args:
        said: fields of the file, their prefix taken off.
        size: how many tokens there are.
    """
    stops = [id for name in STOPS if (id := token_id(said, name, size)) is not None]
    return SpecialTokens(
        start=token_id(said, "bos_token_id", size),
        end=token_id(said, "eos_token_id", size),
        stops=tuple(dict.fromkeys(stops)),
        pad=token_id(said, "padding_token_id", size),
    )


def token_id(said: Mapping[str, Any], name: str, size: int) -> int | None:
    """The id in a field; None where it is not there, or is none of the tokens.

    Raises:
        PellucidError: it is no whole number.
    """
    id = said.get(name)
    if id is None:
        return None
    if isinstance(id, bool) or not isinstance(id, int):
        raise PellucidError(f"{PREFIX}{name}={id!r} is not an id.")
    return id if 0 <= id < size else None


def put_around(
    inner: tokenizers.Tokenizer,
    tokens: Sequence[str],
    said: Mapping[str, Any],
    *,
    starts: bool,
) -> None:
    """Put start and end tokens around each prompt, where the file wants it.

    Args:
        inner: the tokenizer, which is changed.
        tokens: by id.
        said: fields of the file, their prefix taken off.
        starts: whether the start token comes first where the file does not say.

    Raises:
        PellucidError: it wants one that is none of the tokens.
    """
    single, named = "$A", []
    for flag, default, name, form in (
        ("add_bos_token", starts, "bos_token_id", "START {}"),
        ("add_eos_token", False, "eos_token_id", "{} END"),
    ):
        if not wanted(said, flag, default):
            continue
        id = token_id(said, name, len(tokens))
        if id is None:
            raise PellucidError(
                f"{PREFIX}{name}={said.get(name)!r} is none of the {len(tokens)} tokens."
            )
        single = form.format(single)
        # A template reads ":" as its own, so that tokens go by other names in it.
        label = form.replace("{}", "").strip()
        named.append({"id": label, "ids": [id], "tokens": [tokens[id]]})
    if named:
        inner.post_processor = processors.TemplateProcessing(single=single, special_tokens=named)


def wanted(said: Mapping[str, Any], flag: str, default: bool) -> bool:
    """A field that is true or false."""
    value = said.get(flag, default)
    if not isinstance(value, bool):
        raise PellucidError(f"{PREFIX}{flag}={value!r} is neither true nor false.")
    return value


def chat_template(fields: Mapping[str, Any]) -> str | None:
    """The template that writes a conversation down, if the file has one.

    Raises:
        PellucidError: it is no text.
    """
    template = fields.get(TEMPLATE)
    if template is None:
        return None
    if not isinstance(template, str) or not is_text(template):
        raise PellucidError(f"{TEMPLATE} is not text.")
    return template


def is_text(value: str) -> bool:
    """Whether a string of the file was UTF-8: what was not came in as halves of surrogates."""
    return value.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in value)
