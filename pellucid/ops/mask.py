"""The mask: which scores a query may look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from pellucid.ops.evidence import Evidence, constants, copied
from pellucid.ops.figures import figure
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes
from pellucid.ops.term import Derivation, Index, Slope


@dataclass(frozen=True, slots=True)
class CausalMask(Operation):
    """Keep a score where the key is not later than the query; the future is −∞.

    With a `window` the past is −∞ too, from so many positions back: a query sees `window` keys, its
    own the last. The second input has the position of each query; key `j` stands at position `j`.
    """

    kind: ClassVar[str] = "causal_mask"
    saves: ClassVar[frozenset[str]] = frozenset()

    window: int | None = None

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        since = "" if self.window is None else f"{inputs[1]}[query] − {self.window} < "
        return f"{inputs[0]} where {since}key ≤ {inputs[1]}[query], else −∞"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        query = rf"{inputs[1]}[\text{{query}}]"
        since = "" if self.window is None else rf"{query} - {self.window} < "
        allowed = rf"{inputs[0]} & \text{{where }} {since}\text{{key}} \le {query}"
        return rf"\begin{{cases}} {allowed} \\ -\infty & \text{{else}} \end{{cases}}"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        scores, positions = inputs
        queries, keys = scores.shape[-2:]
        # As many queries as keys: the text from its beginning, and the mask is known by its size.
        if queries == keys:
            seen = past(queries, self.window)
        else:
            seen = reached(positions, keys, self.window)
        # Chosen, not added to: a NaN or an infinity in the future must not get through.
        return np.where(seen, scores, scores.dtype.type(-np.inf)), ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        return (grad * past(grad.shape[-1], self.window), None), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        _, query, key = cell
        scores, position = seen.input(0), int(seen.input(1).values[query])
        if self.sees(position, key):
            return copied(scores, cell, "")
        words = scores.word("key", key), scores.word("query", query)
        if key > position:
            formula = f"the future: −∞, as {words[0]} comes after {words[1]}"
        else:
            formula = f"out of sight: −∞, as {words[0]} is {self.window} or more before {words[1]}"
        return Derivation(
            operands=(),
            formula=formula,
            latex=r"-\infty",
            substituted="−∞",
            rule=lambda: -np.inf,
            rounding=0.0,
        )

    def sees(self, position: int, key: int) -> bool:
        """Whether a query at this position sees this key."""
        return key <= position and (self.window is None or key > position - self.window)

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        _, query, key = cell
        position = int(seen.input(1).values[query])
        passes = self.sees(position, key)
        shut = "the future" if key > position else "what is before the window"
        formula = "1" if passes else f"0: {shut} is shut out"
        return Slope(cell, constants(float(passes)), formula, figure(passes))

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 0


@lru_cache(maxsize=64)
def past(length: int, window: int | None = None) -> Array:
    """True where a query sees a key, `[query, key]`, for a text of this length."""
    mask = np.tri(length, dtype=bool)
    if window is not None:
        mask &= ~np.tri(length, k=-window, dtype=bool)
    mask.flags.writeable = False
    return mask


def reached(positions: Array, keys: int, window: int | None = None) -> Array:
    """The same for queries at `positions` `[batch, query]`: `[batch, 1, query, key]`."""
    places, queries = np.arange(keys), positions[:, None, :, None]
    seen: Array = places <= queries
    return seen if window is None else seen & (places > queries - window)
