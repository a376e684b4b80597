"""Contrast: two prompts of one length, and two answers between which they make the difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pellucid.ops.operation import Array


@dataclass(frozen=True, slots=True)
class Contrast:
    """A clean and a corrupted prompt, token beside token, and an answer beside the other one.

    `answer` is what the clean prompt speaks for, `instead` what the corrupted one does. The tokens
    of the answers and of the prompts are there as labels, too. `spaced` are tokens that read like
    an answer that was typed, but for a space before it.
    """

    clean: tuple[int, ...]
    corrupted: tuple[int, ...]
    clean_tokens: tuple[str, ...]
    corrupted_tokens: tuple[str, ...]
    answer: int
    instead: int
    answer_tokens: tuple[str, str]
    spaced: tuple[str, ...] = ()

    @property
    def ids(self) -> Array:
        """Both prompts as a batch, the clean one first: `[batch, position]`."""
        return np.array([self.clean, self.corrupted], dtype=np.int64)

    @property
    def both_tokens(self) -> tuple[str, ...]:
        """A label for each position: its token, or the clean and the corrupted one: `am/likes`."""
        pairs = zip(self.clean_tokens, self.corrupted_tokens, strict=True)
        return tuple(a if a == b else f"{a}/{b}" for a, b in pairs)

    def difference(self, logits: Array) -> Array:
        """By how much the answer is ahead, in logits: `[batch, vocab]` to `[batch]`, float64."""
        scores = logits.astype(np.float64)
        ahead: Array = scores[..., self.answer] - scores[..., self.instead]
        return ahead
