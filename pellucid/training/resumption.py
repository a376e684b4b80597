"""Resumption: a run's folder back into what a training goes on from."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from pathlib import Path

from pellucid.errors import PellucidError
from pellucid.text.token_file import TokenFile
from pellucid.text.tokenizer import Tokenizer
from pellucid.text.windows import split
from pellucid.training.checkpoint import load_checkpoint
from pellucid.training.preparation import Corpus, Preparation, documents_of
from pellucid.training.run_folder import Record, RunFolder, Text
from pellucid.training.text_recipe import changed
from pellucid.training.text_training import Best


def prepare_again(
    folder: RunFolder,
    record: Record,
    *,
    corpus: Corpus | None = None,
    steps: int | None = None,
    on_notice: Callable[[str], object] | None = None,
) -> Preparation:
    """What the run was prepared with, its model as it is after the latest checkpoint.

    Args:
        folder: of the run.
        record: what its `training.json` says.
        corpus: where the text is now; where it was, unless given.
        steps: how many the run shall have, if it shall go on for longer.
        on_notice: told what was done to the text, if it is read again.

    Raises:
        PellucidError: the checkpoint is damaged, or the text is gone or is another.
    """
    start = load_checkpoint(folder.checkpoint(record.checkpoint))
    assert start.tokenizer is not None
    tokens = tokens_of(record.text, start.tokenizer, corpus=corpus, on_notice=on_notice)
    training, validation = split(tokens.ids, record.recipe.validation, block_size=record.block_size)
    return Preparation(
        start=start,
        recipe=changed(record.recipe, warmup=record.recipe.warmup, steps=steps)
        if steps is not None
        else record.recipe,
        seed=record.seed,
        block_size=record.block_size,
        tokens=tokens,
        training=training,
        validation=validation,
        sources=record.text.sources,
        encoding=record.text.encoding,
    )


def best_of(folder: RunFolder, record: Record, *, in_memory: bool = True) -> Best:
    """The best model so far; from its checkpoint, unless it is to stay there.

    Raises:
        PellucidError: it is damaged.
    """
    loss = inf if record.best_loss is None else record.best_loss
    model = load_checkpoint(folder.checkpoint(record.best)) if in_memory else None
    return Best(model, record.best, loss)


def tokens_of(
    text: Text,
    tokenizer: Tokenizer,
    *,
    corpus: Corpus | None,
    on_notice: Callable[[str], object] | None,
) -> TokenFile:
    """The ids that the run was trained on: kept from then, or made from the text again.

    Raises:
        PellucidError: the text cannot be had any more, or is not what it was.
    """
    if corpus is None and Path(text.tokens).exists():
        try:
            return TokenFile.open(text.tokens, tokenizer)
        except PellucidError:
            pass  # Damaged: it is made anew below.
    if corpus is None and text.sources is None:
        raise PellucidError(
            "The text of this run was handed over, and its tokens are not kept any more: "
            "give it again as the corpus."
        )
    try:
        given = corpus if corpus is not None else text.sources or None
        documents, _ = documents_of(given, encoding=text.encoding, on_notice=on_notice)
        tokens = TokenFile.of(documents, tokenizer)
    except PellucidError as error:
        raise PellucidError(f"The text of this run cannot be read again: {error}") from None
    if tokens.digest != text.digest:
        raise PellucidError(
            "The text is not the one that this run was trained on: it has changed since. "
            "Bring the old one back, or train on the new one with --from."
        )
    return tokens
