"""A tokenizer in a folder: `tokenizer.json`, and what it does not say in files beside it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from pellucid.errors import PellucidError
from pellucid.files import write_whole
from pellucid.text.special_tokens import read_special_tokens, written
from pellucid.text.tokenizer import Tokenizer

TOKENIZER, SPECIAL, TEMPLATE = "tokenizer.json", "special_tokens.json", "chat_template.jinja"
BESIDE = (SPECIAL, TEMPLATE)
"""There only where a model's settings say more than the spelling of its tokens."""
MOST_BYTES = 1 << 24
"""Of a file beside a tokenizer; the largest, lists of thousands of special tokens, have 2²⁰."""


def load_tokenizer(folder: str | PathLike[str]) -> Tokenizer | None:
    """The tokenizer in a folder of ours; None where there is none.

    Raises:
        PellucidError: a file is damaged, or names an id that no token has.
    """
    folder = Path(folder)
    if not (folder / TOKENIZER).exists():
        return None
    tokenizer = Tokenizer.load(folder / TOKENIZER)
    template = read_beside(folder / TEMPLATE)
    content = read_beside(folder / SPECIAL)
    if content is None and template is None:
        return tokenizer
    try:
        return tokenizer.with_settings(
            special=None if content is None else read_special_tokens(content),
            chat_template=None if template is None else decoded(template),
        )
    except PellucidError as error:
        raise PellucidError(f"{folder / SPECIAL}: {error}") from None


def read_beside(path: Path) -> bytes | None:
    """The bytes of a small file; None where there is none.

    Raises:
        PellucidError: it cannot be read, or is not small.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PellucidError(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > MOST_BYTES:
        raise PellucidError(f"{path} has more than the {MOST_BYTES:,} bytes that are read of it.")
    return content


def decoded(template: bytes) -> str:
    """The text of a chat template.

    Raises:
        PellucidError: it is not UTF-8.
    """
    try:
        return template.decode()
    except UnicodeDecodeError as error:
        raise PellucidError(f"{TEMPLATE} is not UTF-8: {error.reason}.") from None


def save_tokenizer(tokenizer: Tokenizer | None, folder: Path) -> None:
    """Write a tokenizer's files, each whole; those that it has not got are removed.

    Raises:
        OSError: as the system says it.
    """
    if tokenizer is not None:
        write_whole(folder / TOKENIZER, tokenizer.save)
    special = None if tokenizer is None else tokenizer.stated
    template = None if tokenizer is None else tokenizer.chat_template
    contents = {
        SPECIAL: None if special is None else written(special),
        TEMPLATE: None if template is None else template.encode(),
    }
    for name, content in contents.items():
        if content is not None:
            write_bytes(folder / name, content)
    # Another model's, saved here before.
    gone = [name for name, content in contents.items() if content is None]
    for name in [*gone, *([TOKENIZER] if tokenizer is None else [])]:
        (folder / name).unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole."""
    write_whole(path, lambda draft: draft.write_bytes(content))
