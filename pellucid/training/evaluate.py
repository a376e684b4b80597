"""How well a model predicts a text: per token, per byte, and where it does worst."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import nsmallest
from math import exp

import numpy as np

from pellucid.engine.numpy_engine import NumpyEngine
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
        return exp(self.loss)

    @property
