"""The decoding loop: ids in, one step per new id out. Knows no text and no particular model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import PellucidError
from pellucid.generation.filters import best
from pellucid.generation.sampling import Filtered, Sampling, draw
from pellucid.generation.step import Candidate, Step, StopReason

__all__ = ["CANDIDATES", "Candidate", "Step", "generate", "step_generator"]

CANDIDATES = 5

Logits = NDArray[np.floating[Any]]


def generate(
    next_logits: Callable[[list[int]], Logits],
    ids: Sequence[int],
    *,
    block_size: int,
    max_new_tokens: int,
    sampling: Sampling,
    seed: int = 0,
    stop_ids: Collection[int] = frozenset(),
    label: Callable[[int], str] = str,
) -> Iterator[Step]:
    """Continue `ids` one token at a time, yielding a step for each, until a stop id or the length.

    next_logits: given the window, returns the logits [vocab] read at its last position. A model
        whose vocabulary has rows that are no tokens gives those −inf.
    block_size: the longest window the model takes. Once the text outgrows it, the window is the
        last block_size ids and positions count from its start: each step moves every id in it.
    max_new_tokens: how many steps at most; 0 yields none.
    seed: with the number of the step it decides each draw, whatever was drawn before.
    stop_ids: choosing one of these ends the generation; the step that chose it is yielded.
    label: names an id for display.

    Raises PellucidError at once for arguments that cannot be used, and at the step where it happens
    for logits that cannot be sampled from.
    """
    if len(ids) == 0:
        raise PellucidError("there are no ids to continue: give at least a start token.")
    if block_size < 1:
        raise PellucidError(f"block_size={block_size} leaves no room for a token: give 1 or more.")
    if max_new_tokens < 0:
        raise PellucidError(f"max_new_tokens={max_new_tokens} is negative: give 0 or more.")
    step_generator(seed, 0)  # A seed that cannot be used is reported now, not at the first step.

    def steps() -> Iterator[Step]:
        text = [int(i) for i in ids]
        for number in range(max_new_tokens):
            window = text[-block_size:]
            # A copy, because the model may reuse its array for the next step.
            logits = np.array(next_logits(window))
            logits.flags.writeable = False
            filtered = sampling.filter(logits, position=len(window) - 1)
            chosen = draw(filtered, step_generator(seed, number))
            stopped = _stop_reason(chosen, stop_ids, last=number == max_new_tokens - 1)
            yield Step(
                ids=tuple(window),
                dropped=len(text) - len(window),
                position=len(window) - 1,
                logits=logits,
                top=_top(logits, filtered, label),
                id=chosen,
                token=label(chosen),
                probability=float(filtered.unfiltered[chosen]),
                filtered=filtered,
                stopped=stopped,
            )
            if stopped:
                return
            text.append(chosen)

    return steps()


def step_generator(seed: int, number: int) -> np.random.Generator:
    """Return the random numbers of step `number` (from 0): a function of (seed, number) alone.

    So a step can be repeated without those before it, and caching or batching cannot change a draw.

    Raises PellucidError for a negative seed.
    """
    if seed < 0:
        raise PellucidError(f"seed={seed} is negative: give 0 or more.")
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))


def _top(logits: Logits, filtered: Filtered, label: Callable[[int], str]) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(int(i), label(int(i)), float(logits[i]), float(filtered.unfiltered[i]))
        for i in best(logits.astype(np.float64), CANDIDATES)
        if logits[i] > -np.inf
    )


def _stop_reason(chosen: int, stop_ids: Collection[int], *, last: bool) -> StopReason | None:
    if chosen in stop_ids:
        return "end token"
    return "length" if last else None
