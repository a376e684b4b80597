"""A `tokenizer.json`, read by the library whose format it is."""

from pathlib import Path

import tokenizers

from pellucid.errors import PellucidError

PANIC = "PanicException"
"""What the library raises of a file that it did not foresee; no `Exception`, and nowhere to import
from."""


def read_library_file(path: Path) -> tokenizers.Tokenizer:
    """Return the library's tokenizer of a file.

    Raises `PellucidError` when there is none or it is not one.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PellucidError(
            f"{path} cannot be read: {error.strerror}. Give the path of a tokenizer.json."
        ) from None
    try:
        return tokenizers.Tokenizer.from_buffer(content)
    except BaseException as error:  # The library raises nothing more precise.
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            raise
        raise PellucidError(
            f"{path} is not a tokenizer.json ({error}). Save the tokenizer again."
        ) from None
