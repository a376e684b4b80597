"""A conversation as ids: written down by the model's own chat template, then cut into tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pellucid.errors import PellucidError
from pellucid.text.chat_template import apply_template
from pellucid.text.tokenizer import Tokenizer

Message = Mapping[str, Any]
"""`{"role": "user", "content": "hello"}`, and what else a template knows."""


def chat_text(
    tokenizer: Tokenizer,
    messages: Sequence[Message],
    *,
    reply: bool = True,
    template: str | None = None,
    variables: Mapping[str, Any] | None = None,
) -> str:
    """The text that a conversation is for the model.

    Args:
        tokenizer: the model's, with its chat template.
        messages: who says what, in order.
        reply: whether the model shall answer: its turn is begun behind the last message.
        template: to be used instead of the model's.
        variables: what else the template asks for, by name.

    Raises:
        PellucidError: there is no template, the messages are none, or what `apply_template` raises.
    """
    return written_down(tokenizer, messages, reply=reply, template=template, variables=variables)


def chat_ids(
    tokenizer: Tokenizer,
    messages: Sequence[Message],
    *,
    reply: bool = True,
    template: str | None = None,
    variables: Mapping[str, Any] | None = None,
) -> list[int]:
    """The ids of the same text. Special tokens are those that the template writes.

    Within a message their spelling is text, so that nobody ends a turn by typing so. Arguments and
    errors are those of `chat_text`.
    """
    special = special_pattern(tokenizer)
    mark = unused_character(messages)
    text = written_down(
        tokenizer,
        [marked(message, special, mark) for message in checked(messages)],
        reply=reply,
        template=template,
        variables=variables,
    )
    return ids_of(tokenizer, text, special, mark)


def written_down(
    tokenizer: Tokenizer,
    messages: Sequence[Message],
    *,
    reply: bool,
    template: str | None,
    variables: Mapping[str, Any] | None,
) -> str:
    """What a template makes of messages."""
    template = tokenizer.chat_template if template is None else template
    if template is None:
        raise PellucidError(
            "This model has no chat template, so it does not say how a conversation is written "
            "down: give it text as it is."
        )
    given = {
        "messages": checked(messages),
        "tools": None,
        "documents": None,
        "add_generation_prompt": reply,
        **roles(tokenizer),
        **(variables or {}),
    }
    return apply_template(template, given)


def roles(tokenizer: Tokenizer) -> dict[str, str]:
    """The special tokens that templates ask for by name."""
    ids = {
        "bos_token": tokenizer.special.start,
        "eos_token": tokenizer.special.end,
        "pad_token": tokenizer.special.pad,
        "unk_token": tokenizer.unknown_id,
    }
    return {name: tokenizer.tokens[id] for name, id in ids.items() if id is not None}


def checked(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages without the fields that are None.

    Raises:
        PellucidError: there are none, or one of them is no message.
    """
    form = 'like {"role": "user", "content": "hello"}'
    if isinstance(messages, str | Mapping) or not isinstance(messages, Sequence) or not messages:
        raise PellucidError(f"A conversation is a list of messages {form}.")
    for place, message in enumerate(messages):
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise PellucidError(f"Message {place} is not {form}: it says no role.")
    return [
        {name: value for name, value in message.items() if value is not None}
        for message in messages
    ]


# Special tokens that somebody typed


def special_pattern(tokenizer: Tokenizer) -> re.Pattern[str]:
    """What finds special tokens in a text, longer ones first."""
    spellings = sorted(filter(None, tokenizer.special_tokens), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, spellings)) or r"(?!)")


def unused_character(messages: Any) -> str:
    """A character for private use that no message has."""
    used = set().union(*strings(messages))
    return next(char for char in map(chr, range(0xE000, 0x110000)) if char not in used)


def strings(value: Any) -> Iterator[str]:
    """All text within lists and mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from strings(each)


def marked(value: Any, special: re.Pattern[str], mark: str) -> Any:
    """The same, with a mark within every spelling of a special token."""
    if isinstance(value, str):
        return special.sub(lambda found: found[0][0] + mark + found[0][1:], value)
    if isinstance(value, Mapping):
        return {name: marked(each, special, mark) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [marked(each, special, mark) for each in value]
    return value


def ids_of(tokenizer: Tokenizer, text: str, special: re.Pattern[str], mark: str) -> list[int]:
    """Ids of a text in which what is marked is no special token."""
    if mark not in text:
        return tokenizer.encode_special(text)
    ids: list[int] = []
    begin = 0
    # From one special token to the next a text is cut up by itself; only where somebody typed one
    # need it be known as mere text.
    for start, end in stretches(text, special):
        if mark in text[start:end]:
            ids += tokenizer.encode_special(text[begin:start]) if start > begin else []
            ids += tokenizer.encode(text[start:end].replace(mark, ""))
            begin = end
    return ids + (tokenizer.encode_special(text[begin:]) if begin < len(text) else [])


def stretches(text: str, special: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Where the text between special tokens begins and ends."""
    begin = 0
    for found in special.finditer(text):
        yield begin, found.start()
        begin = found.end()
    yield begin, len(text)
