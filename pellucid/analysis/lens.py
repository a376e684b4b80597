"""The logit lens: a model's guesses at the next token at every place of its residual stream.

Source: nostalgebraist, "interpreting GPT: the logit lens" (2020).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from pellucid.analysis.last_steps import Guess, engine_of, guess_at
from pellucid.analysis.lens_reading import LensReading
from pellucid.decoder.stream import stream
from pellucid.errors import check_whole
from pellucid.model import inputs
from pellucid.model.model import Model
from pellucid.ops.operation import Array
from pellucid.trace.edits import Edit

AT_ONCE = 64
"""Positions of which everything is worked out at a time."""


def lens(
    model: Model,
    prompt: str | None = None,
    *,
    ids: Sequence[int] | None = None,
    top: int = 5,
    follow: Iterable[str | int] = (),
    edits: Iterable[Edit] = (),
    on_progress: Callable[[int, int], None] | None = None,
) -> LensReading:
    """Read every state of the residual stream through the model's last steps.

    The states are what enters the blocks, and the stream after each half of each block. What the
    last of them gives is what the model says, to the last bit.

    Args:
        model: to be looked into.
        prompt: text.
        ids: token ids instead.
        top: how many of the likeliest tokens to keep at each place and position.
        follow: further tokens, by text or id, whose probability to keep everywhere.
        edits: changes to the run, as `Model.trace` takes them; those of the last steps hold for
            every place.
        on_progress: is told after each place how many are done, and how many there are.

    Raises:
        PellucidError: as `Model.trace`; or one of `follow` is no single token.
    """
    check_whole("top", top, 1)
    given = [inputs.target_id(model, token) for token in follow]
    places = stream(model.config)
    trace = model.trace(prompt, ids=ids, edits=edits, names=[*places, "logits", "probs"])
    engine = engine_of(model, trace)
    said = trace["logits"].values
    tokens = np.column_stack([said.argmax(axis=-1), np.tile(given, (len(said), 1)).astype(int)])
    found = []
    for done, place in enumerate(places, start=1):
        found.append(measured(guess_at(engine, trace, place), said, top, tokens))
        if on_progress is not None:
            on_progress(done, len(places))
    return LensReading(model, trace, places, tokens, *map(np.array, zip(*found, strict=True)))


def measured(guess: Guess, said: Array, top: int, tokens: Array) -> tuple[Array, ...]:
    """What is kept of the guesses at one place: whole vocabularies of all would not fit.

    A few positions at a time, as numbers of 64 bits for all of a long text would not fit either.

    Args:
        guess: at that place.
        said: the model's own logits, `[position, vocab]`.
        top: how many of the likeliest tokens are kept.
        tokens: ids `[position, token]` of those that are followed.

    Returns:
        The likeliest ids and their probabilities, entropy, divergence, and the probabilities and
        ranks of the followed tokens.
    """
    parts = []
    for start in range(0, len(said), AT_ONCE):
        logits, probs, final, followed = (
            each[start : start + AT_ONCE] for each in (*guess, said, tokens)
        )
        parts.append(measured_part(logits, probs, final, followed, top))
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def measured_part(
    logits: Array, probs: Array, said: Array, tokens: Array, top: int
) -> tuple[Array, ...]:
    """The same for a few positions."""
    # By logits: in the probabilities tokens far down are all 0.
    likeliest = np.array([highest(scores, top) for scores in logits])
    scores = np.take_along_axis(logits, tokens, axis=-1)
    log_probs, final = log_softmax(logits), log_softmax(said)
    return (
        likeliest,
        np.take_along_axis(probs, likeliest, axis=-1),
        -expected(log_probs, log_probs),
        expected(final, without(final, log_probs)),
        np.take_along_axis(probs, tokens, axis=-1),
        np.stack([1 + (logits > each[:, None]).sum(axis=-1) for each in scores.T], axis=-1),
    )


def highest(scores: Array, top: int) -> Array:
    """The ids of the highest scores `[vocab]`, best first, equal ones by lowest id."""
    top = min(top, len(scores))
    least = np.partition(scores, -top)[-top]
    # To sort a whole vocabulary takes longer than to work its scores out. NaN is among them.
    candidates = np.flatnonzero(~(scores < least))
    order = np.argsort(-scores[candidates], kind="stable")[:top]
    found: Array = candidates[order]
    return found


def expected(log_probs: Array, numbers: Array) -> Array:
    """The mean of numbers by these probabilities, over the last dim; what is ruled out adds 0."""
    counted = np.where(np.isneginf(log_probs), 0.0, numbers)
    mean: Array = np.einsum("...v,...v->...", np.exp(log_probs), counted)
    return mean


def log_softmax(logits: Array) -> Array:
    """Logarithms of probabilities over the last dim, in float64."""
    shifted = logits.astype(np.float64)
    # Of logits that are all −∞ nothing is left but NaN.
    shifted = without(shifted, shifted.max(axis=-1, keepdims=True))
    shifted -= np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return shifted


def without(numbers: Array, others: Array) -> Array:
    """A difference, which of two infinities is NaN."""
    with np.errstate(invalid="ignore"):
        difference: Array = numbers - others
    return difference
