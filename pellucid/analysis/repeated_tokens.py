"""Random tokens and the same again: a text whose second half can be known from its first alone."""

from __future__ import annotations

import numpy as np

from pellucid.errors import PellucidError, check_whole
from pellucid.model.model import Model
from pellucid.ops.operation import Array

LENGTH = 25
"""Of the tokens that are repeated, where there is room."""
LEAST = 2
"""Of fewer none follows another."""


def repeated_tokens(
    model: Model, *, length: int | None = None, texts: int = 4, seed: int = 0
) -> Array:
    """Texts of tokens that are drawn without repetition, twice: ids `[text, position]`.

    The start token stands before them where prompts have one; other special tokens are not drawn.

    Args:
        model: whose vocabulary and context they are made for.
        length: of the tokens that are repeated; 25, or as many as there is room for, unless given.
        texts: how many.
        seed: of the draw.

    Raises:
        PellucidError: the context or the vocabulary is too small.
    """
    check_whole("texts", texts, 1)
    check_whole("seed", seed, 0)
    start = start_of(model)
    drawn_from = text_ids(model)
    most = min((model.config.block_size - len(start)) // 2, len(drawn_from))
    if length is None:
        length = min(LENGTH, max(most, LEAST))
    check_whole("length", length, LEAST)
    if length > most:
        raise PellucidError(
            f"{length} different tokens, and the same again, do not fit: the context is "
            f"{model.config.block_size} and {len(drawn_from)} tokens stand for text. "
            f"{f'Give length={most}, or less.' if most >= LEAST else 'Give a text of your own.'}"
        )
    rng = np.random.default_rng(seed)
    halves = [rng.permutation(drawn_from)[:length] for _ in range(texts)]
    return np.array([[*start, *half, *half] for half in halves])


def start_of(model: Model) -> list[int]:
    """What stands before each prompt."""
    return [] if model.tokenizer is None else model.tokenizer.start


def text_ids(model: Model) -> Array:
    """The ids that stand for text: all without a tokenizer."""
    if model.tokenizer is None:
        return np.arange(model.config.vocab_size)
    return np.flatnonzero(model.tokenizer.byte_lengths)
