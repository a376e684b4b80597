"""How well a model predicts a text: per token, per byte, and where it does worst."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest
from math import exp

import numpy as np

from pellucid.engine.engine import Engine
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.ops.operation import Array
from pellucid.text.batches import NO_TARGET, Ids
from pellucid.text.mapped import Run, chunks
from pellucid.text.tokenizer import Tokenizer
from pellucid.text.windows import windows_in_order
from pellucid.training.units import bits_per_byte, perplexity

TOKENS_AT_ONCE = 2048
"""In one run of the engine: as fast as more, and the logits of a large vocabulary still fit."""

Losses = Callable[[Ids, Ids], Array]
"""From contexts and targets [batch, position] to the loss at each target, in nats."""
OnProgress = Callable[[int, int], object]
"""Told how many tokens have been predicted, and of how many."""


@dataclass(frozen=True, slots=True)
class Place:
    """One token of a text, and what the model thought of it."""

    position: int
    """In the text, counted in tokens from 0."""
    id: int
    loss: float
    """−ln of its probability, in nats."""
    before: tuple[int, ...]
    """The ids before it, at most `CONTEXT_SHOWN`."""

    @property
    def probability(self) -> float:
        return exp(-self.loss)


CONTEXT_SHOWN = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A model held against a text. The first token is given, every other one predicted."""

    tokens: int
    """Predicted."""
    bytes: int
    """Of UTF-8 that these stand for; 0 without a tokenizer."""
    loss: float
    """The sum over these tokens divided by their number, in nats."""
    worst: tuple[Place, ...]
    """The least expected, most surprising first; a place that comes first wins a tie."""

    @property
    def perplexity(self) -> float:
        """e to the loss: among how many equally likely tokens the model as good as chooses."""
        return perplexity(self.loss)

    @property
    def bits_per_byte(self) -> float:
        """What an arithmetic coder would need; comparable between tokenizers. NaN without one."""
        return bits_per_byte(self.loss * self.tokens, self.bytes)


def evaluate(
    model: Model, ids: Run, *, worst: int = 10, on_progress: OnProgress | None = None
) -> Evaluation:
    """Predict every id of a text [position] but the first.

    The text is read in windows as long as the model's context, end to end, so a token near the
    beginning of a window is predicted from few. A mapped file of any length may be given.

    Raises:
        PellucidError: the text has fewer than two ids, or one that the model does not have.
    """
    if len(ids) < 2:
        raise PellucidError(f"The text has {len(ids)} tokens; to predict one takes at least 2.")
    highest = max(int(chunk.max()) for chunk in chunks(ids))
    if highest >= model.config.vocab_size:
        raise PellucidError(
            f"The text has the id {highest}, and the model only "
            f"vocab_size={model.config.vocab_size}: use the model's own tokenizer."
        )
    lengths = (
        None if model.tokenizer is None else byte_lengths(model.tokenizer, model.config.vocab_size)
    )
    block_size = min(model.config.block_size, len(ids) - 1)
    return measure(
        partial(losses, model.engine),
        ids,
        lengths,
        block_size=block_size,
        worst=worst,
        on_progress=on_progress,
    )


def measure(
    losses_of: Losses,
    ids: Run,
    byte_lengths: Ids | None,
    *,
    block_size: int,
    worst: int = 0,
    on_progress: OnProgress | None = None,
) -> Evaluation:
    """The same by any engine's losses; `byte_lengths` [vocab] says what each id stands for."""
    total, tokens, n_bytes = 0.0, 0, 0
    found: list[Place] = []
    for targets, losses in predicted(losses_of, ids, block_size=block_size):
        real = targets != NO_TARGET
        first = 1 + tokens
        values, next_ids = losses[real].astype(np.float64), targets[real]
        total += float(values.sum())
        tokens += len(values)
        n_bytes += 0 if byte_lengths is None else int(byte_lengths[next_ids].sum())
        highest = np.argsort(-values, kind="stable")[:worst]
        found += [place(ids, first + int(i), float(values[i])) for i in highest]
        found = nsmallest(worst, found, key=lambda each: (-each.loss, each.position))
        if on_progress is not None:
            on_progress(tokens, len(ids) - 1)
    return Evaluation(tokens=tokens, bytes=n_bytes, loss=total / tokens, worst=tuple(found))


def predicted(losses_of: Losses, ids: Run, *, block_size: int) -> Iterator[tuple[Ids, Array]]:
    """Yield targets [batch, position] and their losses in nats, −1 and 0 where there is none."""
    batch_size = max(1, TOKENS_AT_ONCE // block_size)
    windows = windows_in_order(ids, block_size=block_size, batch_size=batch_size)
    for contexts, targets in windows:
        yield targets, losses_of(contexts, targets)


def losses(engine: Engine, contexts: Ids, targets: Ids) -> Array:
    """The loss at each target, in nats: [batch, position]; 0 at a −1."""
    given = {"ids": contexts, "targets": targets}
    # Whoever asks says what a loss out of range means.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        return engine.forward(given, outputs=("loss.per_position",))["loss.per_position"]


def place(ids: Run, position: int, loss: float) -> Place:
    """The token at `position`, with what stands before it."""
    before = ids[max(0, position - CONTEXT_SHOWN) : position]
    return Place(position, int(ids[position]), loss, tuple(int(i) for i in before))


def byte_lengths(tokenizer: Tokenizer, vocab_size: int) -> Ids:
    """How many bytes each id stands for [vocab]; 0 for ids that the tokenizer does not have."""
    known = np.array(tokenizer.byte_lengths, dtype=np.int64)
    return np.pad(known, (0, vocab_size - len(known)))
