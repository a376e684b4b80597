"""The decoding loop: ids in, one step per new id out. Knows no text and no particular model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np

from pellucid.errors import PellucidError
from pellucid.generation.continuation import Continuation
from pellucid.generation.sampling import Sampling, is_whole, pick
from pellucid.generation.step import Logits, Step

Windows = Mapping[int, Sequence[int]]
"""What a model shall read of some texts, by the number of the text."""
Read = Callable[[Windows], Mapping[int, Logits]]
"""Gives the logits [vocab] at the last position of each window."""


def generate(
    read: Read,
    texts: Sequence[Continuation],
    *,
    block_size: int,
    max_new_tokens: int,
    sampling: Sampling,
    stop_ids: Collection[int] = frozenset(),
    never: Collection[int] = frozenset(),
    label: Callable[[int], str] = str,
) -> Iterator[Step]:
    """Continue `texts` side by side, a token of each in turn, until each has come to its end.

    read: gives the logits of several windows at once. A model whose vocabulary has rows that are no
        tokens gives those −inf.
    block_size: the longest window the model takes. Once a text outgrows it, its window is the last
        block_size ids and positions count from its start: each step moves every id in it.
    max_new_tokens: how many steps of each text at most; 0 yields none.
    stop_ids: choosing one of these ends the text; the step that chose it is yielded.
    never: ids that are not chosen.
    label: names an id for display.

    What comes of a text depends on its own ids and seed alone, not on those beside it.

    Raises PellucidError at once for arguments that cannot be used, and at the step where it happens
    for logits that cannot be sampled from.
    """
    if block_size < 1:
        raise PellucidError(f"block_size={block_size} leaves no room for a token: give 1 or more.")
    if not is_whole(max_new_tokens) or max_new_tokens < 0:
        raise PellucidError(
            f"max_new_tokens={max_new_tokens!r} is not possible: give a whole number, 0 or more."
        )
    for text in texts:
        if not is_whole(text.seed) or text.seed < 0:
            raise PellucidError(
                f"seed={text.seed!r} is not possible: give a whole number, 0 or more."
            )

    def step(text: Continuation, number: int, logits: Logits) -> Step:
        window = text.ids[-block_size:]
        dropped, position = len(text.ids) - len(window), len(window) - 1
        filtered = sampling.filter(logits, seen=text.ids, never=never, position=position)
        # A greedy choice leaves nothing to draw: any number picks it.
        uniform = None if sampling.greedy else float(step_generator(text.seed, number).random())
        chosen = int(pick(filtered.probabilities, uniform or 0.0))
        last = number == max_new_tokens - 1
        added = text.add(chosen, ends=chosen in stop_ids, last=last)
        return Step(
            sample=text.number,
            number=number,
            ids=tuple(window),
            dropped=dropped,
            position=position,
            logits=logits,
            filtered=filtered,
            uniform=uniform,
            id=chosen,
            token=label(chosen),
            text=added,
            stopped=text.stopped,
            label=label,
        )

    def steps() -> Iterator[Step]:
        for number in range(max_new_tokens):
            going = [text for text in texts if text.stopped is None]
            if not going:
                return
            logits = read({text.number: text.ids[-block_size:] for text in going})
            for text in going:
                yield step(text, number, own(logits[text.number]))

    return steps()


def step_generator(seed: int, number: int) -> np.random.Generator:
    """Return the random numbers of step `number` (from 0): a function of (seed, number) alone.

    So a step can be repeated without those before it, and caching or batching cannot change a draw.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))


def own(logits: Logits) -> Logits:
    """A copy, closed to writing, because the model may reuse its array for the next step."""
    copy = np.array(logits)
    copy.flags.writeable = False
    return copy
