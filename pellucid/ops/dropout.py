"""Dropout: in training, numbers left out at random; which ones is a function of a key alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar
from zlib import crc32

import numpy as np

from pellucid.ops.evidence import Evidence, as_text
from pellucid.ops.figures import figure, sum_of_products
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.term import Derivation, Index, Slope, Summand


@dataclass(frozen=True, slots=True)
class Dropout(Operation):
    """`x · kept`, where `kept` is 0 with probability `rate`, else `1 / (1 - rate)`.

    The second input has a key for each text of the batch; `place` tells this dropout from others.
    The mask of a text follows from its key and the place, whatever else is in the batch.
    Source: Srivastava et al., "Dropout" (2014), scaled in training as section 10 proposes.
    """

    kind: ClassVar[str] = "dropout"
    extras: ClassVar[Dims] = ("kept",)
    saves: ClassVar[frozenset[str]] = frozenset({"kept"})
    inside: ClassVar[Mapping[str, Dims]] = {
        "kept": ("input 0", "input 1"),
        "": ("input 0", "kept"),
    }

    rate: float
    place: str

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def extra_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        return (inputs[0],)

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]}, {self.rate:.0%} of it left out by {inputs[1]}"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        words = f", {self.rate:.0%} of it left out by "
        return rf"{inputs[0]}{as_text(words)}{inputs[1]}"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        kept = self.make("kept", inputs, ())
        return inputs[0] * kept, (kept,)

    def make(self, part: str, given: Sequence[Array], parameters: Sequence[Array]) -> Array:
        if part == "":
            return given[0] * given[1]
        x, keys = given
        kept = np.empty(x.shape, dtype=x.dtype)
        for text, key in zip(kept, keys, strict=True):
            text[...] = self.stream(int(key)).random(text.shape, dtype=np.float32) >= self.rate
        kept *= 1 / (1 - self.rate)
        return kept

    def unmake(
        self,
        part: str,
        grad: Array,
        given: Sequence[Array],
        parameters: Sequence[Array],
        made: Array,
    ) -> Backward:
        if part == "kept":
            # How large a number is has no part in whether it is kept.
            return (np.zeros_like(given[0]), None), ()
        return (grad * given[1], grad * given[0]), ()

    def stream(self, key: int) -> np.random.Generator:
        """The random numbers of one text at this place."""
        place = crc32(self.place.encode())
        return np.random.Generator(np.random.Philox(key=np.array([key, place], dtype=np.uint64)))

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        return (grad * extras[0], None), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        kept = seen.extra("kept")
        if extra is not None:
            value = float(kept.values[cell])
            words = f"drawn: left out in {self.rate:.0%} of cases, else 1 / {1 - self.rate:g}"
            return Derivation(
                (), words, as_text(words), figure(value), rule=lambda: value, rounding=0.0
            )
        x = seen.input(0)
        operands = x.at("x", *cell), kept.at("kept", *cell)
        return Derivation(
            operands=operands,
            formula=f"{x.say(*cell)} · {kept.say(*cell)}",
            latex=rf"{x.tex(*cell)} \cdot {kept.tex(*cell)}",
            substituted=sum_of_products([operand.values for operand in operands]),
            summands=(Summand((0, 1)),),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        kept = seen.extra("kept")
        via = kept.at("local derivative", *cell)
        return Slope(cell, via, kept.say(*cell), kept.tex(*cell))

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return count(inputs[0], sizes)


def noise_keys(seed: int, step: int, samples: Array) -> Array:
    """A key for each text of a batch: a function of the seed, the step and the text's own number.

    Args:
        seed: of the training.
        step: of the training.
        samples: `[batch]`, the number of each text within the step, however the step is cut up.

    Returns:
        `[batch]`, uint64, well mixed: SplitMix64, Steele et al., "Fast Splittable Pseudorandom
        Number Generators" (2014).
    """
    keys = np.zeros(len(samples), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for number in (np.uint64(seed), np.uint64(step), np.asarray(samples, dtype=np.uint64)):
            keys = mix(keys + np.uint64(0x9E3779B97F4A7C15) + number)
    return keys


def mix(keys: Array) -> Array:
    """Every bit of a number into every bit of the result."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Array = keys ^ (keys >> np.uint64(31))
    return mixed
