"""The tokenizer of a Hugging Face folder, and what its other files say of special tokens.

As in `transformers`, what stands before a prompt is the business of `tokenizer.json` alone, and
`add_bos_token` beside it is not asked; and tokens that the settings give a role are special,
whether the vocabulary has them or not. A generation ends at what the first of these names that
says anything of it, null included: `generation_config.json`, `config.json`, and the settings of
the tokenizer. (`transformers` asks the first file that is there, and goes on for ever if it is
silent.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import tokenizers
from tokenizers import AddedToken

from pellucid.errors import PellucidError
from pellucid.text.library_file import read_library_file
from pellucid.text.special_tokens import SpecialTokens
from pellucid.text.tokenizer import Tokenizer
from pellucid.text.tokenizer_folder import TEMPLATE, TOKENIZER, decoded, read_beside

Fields = Mapping[str, Any]

GENERATION, SETTINGS, NAMED = (
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
)
ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
"""The tokens that settings name, in the order in which `transformers` adds them."""


def tokenizer_in(folder: Path, config: Fields) -> Tokenizer | None:
    """The tokenizer of a folder; None where it has no `tokenizer.json`.

    Args:
        folder: the folder.
        config: what its `config.json` says.

    Raises:
        PellucidError: a file is damaged.
    """
    path = folder / TOKENIZER
    if not path.exists():
        return None
    inner = read_library_file(path)
    settings = read_settings(folder)
    try:
        add_tokens(inner, settings)
        special = special_tokens(inner, settings, generation_fields(folder, config))
        return Tokenizer(inner, special=special, chat_template=chat_template(folder, settings))
    except PellucidError as error:
        raise PellucidError(f"{folder}: {error}") from None


def read_fields(path: Path) -> dict[str, Any]:
    """What a JSON file says; nothing where there is none.

    Raises:
        PellucidError: it is damaged, or no object.
    """
    content = read_beside(path)
    if content is None:
        return {}
    try:
        return msgspec.json.decode(content, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise PellucidError(f"{path} does not hold settings: {error}.") from None


def read_settings(folder: Path) -> dict[str, Any]:
    """What a folder says of its tokenizer.

    The older `special_tokens_map.json` counts where the newer file does not list its tokens.
    """
    settings = read_fields(folder / SETTINGS)
    if "added_tokens_decoder" in settings:
        return settings
    return settings | read_fields(folder / NAMED)


def generation_fields(folder: Path, config: Fields) -> Fields:
    """What the folder says of the ids of special tokens; a file for generation comes first."""
    ids = ("bos_token_id", "eos_token_id", "pad_token_id")
    said = {name: config[name] for name in ids if name in config}
    return said | read_fields(folder / GENERATION)


# Tokens


def add_tokens(inner: tokenizers.Tokenizer, settings: Fields) -> None:
    """Add to a vocabulary what the settings name and it lacks, and make special what they name."""
    listed = settings.get("added_tokens_decoder") or {}
    if not isinstance(listed, dict) or not all(id.isdecimal() and len(id) < 10 for id in listed):
        raise PellucidError(f"{SETTINGS}: added_tokens_decoder is not a list of tokens by id.")
    by_id = {int(id): added_token(said, "added_tokens_decoder") for id, said in listed.items()}
    tokens = {by_id[id].content: by_id[id] for id in sorted(by_id)}
    known = {token.content: token for token in inner.get_added_tokens_decoder().values()}
    inner.add_tokens([token for content, token in tokens.items() if content not in known])
    flags = known | tokens
    inner.add_special_tokens([flags.get(t.content, t) for t in named_tokens(settings)])


def named_tokens(settings: Fields) -> Iterator[AddedToken]:
    """The tokens that the settings give a role, then those that they call special beside them."""
    for role in ROLES:
        if settings.get(role) is not None:
            yield added_token(settings[role], role)
    more = settings.get("extra_special_tokens") or settings.get("additional_special_tokens") or []
    if not isinstance(more, list | dict):
        raise PellucidError(f"{SETTINGS}: additional_special_tokens={more!r} is not a list.")
    for said in more.values() if isinstance(more, dict) else more:
        yield added_token(said, "additional_special_tokens")


def added_token(said: Any, where: str) -> AddedToken:
    """A token as settings describe it: by its spelling, or with how it is found in a text.

    Raises:
        PellucidError: it is neither.
    """
    if isinstance(said, str):
        return AddedToken(said, special=True, normalized=False)
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    content = said.get("content") if isinstance(said, dict) else None
    if not isinstance(content, str):
        raise PellucidError(f"{SETTINGS}: {where} has {said!r}, which is no token.")
    return AddedToken(content, **{flag: bool(said[flag]) for flag in flags if flag in said})


def special_tokens(
    inner: tokenizers.Tokenizer, settings: Fields, generation: Fields
) -> SpecialTokens | None:
    """Which ids begin, end and fill up texts; None where no file says anything of them.

    Ids that no token has are none.
    """
    roles = {"start": "bos_token", "end": "eos_token", "pad": "pad_token"}
    if not any(name in settings or f"{name}_id" in generation for name in roles.values()):
        return None
    size = inner.get_vocab_size()
    single: dict[str, int | None] = {}
    for ours, name in roles.items():
        if name in settings:
            said = settings[name]
            id = None if said is None else inner.token_to_id(added_token(said, name).content)
        else:
            id = next(iter(ids_in(generation, f"{name}_id", size)), None)
        single[ours] = id
    end = single["end"]
    if "eos_token_id" in generation:
        stops = ids_in(generation, "eos_token_id", size)
    else:
        stops = () if end is None else (end,)
    return SpecialTokens(**single, stops=stops)


def ids_in(fields: Fields, name: str, size: int) -> tuple[int, ...]:
    """The ids that a field gives, one or several, as far as there are such tokens.

    Raises:
        PellucidError: it gives something else.
    """
    said = fields.get(name)
    ids = said if isinstance(said, list) else [] if said is None else [said]
    if not all(isinstance(id, int) and not isinstance(id, bool) for id in ids):
        raise PellucidError(f"{name}={said!r} is neither an id nor a list of ids.")
    return tuple(dict.fromkeys(id for id in ids if 0 <= id < size))


# Chat


def chat_template(folder: Path, settings: Fields) -> str | None:
    """The template that writes a conversation down; a file of its own comes first."""
    content = read_beside(folder / TEMPLATE)
    if content is not None:
        return decoded(content)
    said = settings.get("chat_template")
    if isinstance(said, list):
        found = [each.get("template") for each in said
                 if isinstance(each, dict) and each.get("name") == "default"]  # fmt: skip
        said = found[0] if found else None
    if said is not None and not isinstance(said, str):
        raise PellucidError(f"{SETTINGS}: chat_template is neither text nor a list of templates.")
    return said
