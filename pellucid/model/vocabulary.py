"""Whether a tokenizer and a model's matrices fit: tokens that were added may have no row."""

from __future__ import annotations

from collections.abc import Iterable

from pellucid.errors import PellucidError
from pellucid.text.tokenizer import Tokenizer


def check_vocabulary(tokenizer: Tokenizer, rows: int) -> None:
    """Refuse the tokenizer of another model: one with more tokens than there are rows.

    Tokens that were added to a vocabulary may lie beyond them, as those for pictures do in models
    of text alone.

    Raises:
        PellucidError: others do.
    """
    beyond = range(rows, tokenizer.vocab_size)
    if not tokenizer.added_ids.issuperset(beyond):
        raise PellucidError(
            f"The tokenizer has {tokenizer.vocab_size} tokens, the model only vocab_size={rows}."
        )


def check_rows(tokenizer: Tokenizer, ids: Iterable[int], rows: int) -> None:
    """Refuse a token that has no row.

    Raises:
        PellucidError: there is one.
    """
    for id in ids:
        if id >= rows:
            raise PellucidError(
                f'The token "{tokenizer.label(id)}", {id}, was added to the tokenizer, but the '
                f"model has no row for it, only vocab_size={rows}: leave it out of the text."
            )
