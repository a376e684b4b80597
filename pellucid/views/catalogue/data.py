"""What a model reads and is asked: its vocabulary, and the training pairs of a corpus."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.errors import PellucidError
from pellucid.text.batches import Pairs
from pellucid.text.tokenizer import Tokenizer
from pellucid.trace.trace import Trace
from pellucid.training.sentences import pairs_of
from pellucid.views.catalogue.places import amount, whole_number
from pellucid.views.scene import Block, Row, Table

MOST_TOKENS = 96
"""Of a larger vocabulary the prompt's own tokens are listed."""
COLUMNS = 4
SHOWN_PADDING = 3
"""The most padding of a pair that is written out."""


def vocabulary(trace: Trace) -> tuple[Block, ...]:
    """Every token with its id; of a large vocabulary, the tokens of the prompt.

    Raises PellucidError where the model has no tokenizer.
    """
    if trace.vocabulary is None:
        raise PellucidError(
            "This model has no tokenizer, so its ids stand for no text: "
            "make it with Model.from_config(config, tokenizer)."
        )
    size = len(trace.vocabulary)
    if size <= MOST_TOKENS:
        return (token_columns(trace.vocabulary, range(size)),)
    note = f"The tokens of the prompt, of a vocabulary of {size:,}."
    return (token_columns(trace.vocabulary, sorted(set(trace.ids)), note),)


def token_columns(labels: Sequence[str], ids: Sequence[int], note: str | None = None) -> Row:
    """Tokens with their ids, cut into columns that stand beside each other."""
    height = -(-len(ids) // COLUMNS)
    columns = [ids[start : start + height] for start in range(0, len(ids), height)]
    return Row(
        tuple(
            Table(
                f"Tokens {column[0]:,} to {column[-1]:,}",
                ("token", "id"),
                tuple((labels[id], id) for id in column),
                align=("left", "right"),
                note=note,
            )
            for column in columns
        )
    )


def training_pairs(
    sentences: Sequence[str], tokenizer: Tokenizer, *, first: int = 0, pairs: int = 15
) -> tuple[Block, ...]:
    """Contexts X and targets Y of a corpus, as ids and as tokens: `pairs` of them from `first` on.

    Raises PellucidError where there is no such pair, or the tokenizer has no token for padding.
    """
    sentences = tuple(sentences)
    if not sentences:
        raise PellucidError("There is no training pair: give at least one sentence.")
    found = pairs_of(tokenizer, sentences)
    first, pairs = whole_number("first", first), amount("pairs", pairs, "pair")
    if not 0 <= first < len(found):
        raise PellucidError(f"first={first} is out of range: there are {len(found)} pairs, from 0.")
    shown = range(first, min(first + pairs, len(found)))
    return (pair_table(found, tokenizer, shown),)


def pair_table(pairs: Pairs, tokenizer: Tokenizer, shown: range) -> Table:
    """A row for each pair."""
    whole = len(shown) == len(pairs)
    return Table(
        "Training pairs: after X comes Y",
        ("pair", "X: ids", "Y", "X: tokens", "Y: token"),
        tuple(pair_row(pairs, tokenizer, row) for row in shown),
        align=("right", "left", "right", "left", "left"),
        note=None if whole else f"{len(shown)} of {len(pairs):,} pairs, from pair {shown[0]:,}.",
    )


def pair_row(pairs: Pairs, tokenizer: Tokenizer, row: int) -> tuple[int, str, int, str, str]:
    """One pair, as ids and as tokens; much padding is counted instead of written out."""
    context, target = pairs.contexts[row].tolist(), int(pairs.targets[row])
    width = len(str(tokenizer.vocab_size - 1))
    length = int(pairs.lengths[row])
    padding = len(context) - length
    shown = context[:length] if padding > SHOWN_PADDING else context
    ids = " ".join(f"{id:>{width}}" for id in shown)
    tokens = " ".join(tokenizer.labels(shown))
    if padding > SHOWN_PADDING:
        ids += f" … {padding} × {context[-1]}"
        tokens += f" … {padding} × {tokenizer.label(context[-1])}"
    return row, ids, target, tokens, tokenizer.label(target)
