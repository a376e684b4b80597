"""Attention, step by step: heads, scores, mask, pattern, mix.

Several query heads may share one key and value head (grouped heads): query head `h` reads key head
`h // group`. They are grouped by reshape, never repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import ClassVar

import numpy as np

from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.rows import row_maxima, row_sums


@dataclass(frozen=True, slots=True)
class SplitHeads(Operation):
    """Cut each position's vector into heads: `[position, d_attn]` to `[head, position, d_head]`."""

    kind: ClassVar[str] = "split_heads"

    n_head: int
    head: str = "head"
    """The dim's name: `head`, or `kv_head` for keys and values."""

    def dims(self, *inputs: Dims) -> Dims:
        return (self.head, *inputs[0][:-1], "d_head")

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]}, cut into {self.n_head} head{'s' if self.n_head > 1 else ''}"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        return split(inputs[0], self.n_head), ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        return (merge(grad),), ()

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class MergeHeads(Operation):
    """Lay the heads of each position side by side again: the inverse of `SplitHeads`."""

    kind: ClassVar[str] = "merge_heads"

    n_head: int
    to: str

    def dims(self, *inputs: Dims) -> Dims:
        return (*inputs[0][1:-1], self.to)

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]}, heads side by side"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        return merge(inputs[0]), ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        return (split(grad, self.n_head),), ()

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class Remember(Operation):
    """Every key (or value) so far: where `position` becomes `key`.

    In one pass over a whole text these are the same numbers; a decoding with a cache adds to them.
    """

    kind: ClassVar[str] = "remember"

    def dims(self, *inputs: Dims) -> Dims:
        return tuple("key" if dim == "position" else dim for dim in inputs[0])

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]} of every position so far"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        return inputs[0], ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        return (grad,), ()

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class Scores(Operation):
    """`scores[h, i, j] = q[h, i] · keys[h, j] / √d_head`.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1.
    """

    kind: ClassVar[str] = "scores"
    saves: ClassVar[frozenset[str]] = frozenset({"inputs"})

    d_head: int

    @property
    def scale(self) -> float:
        return 1 / sqrt(self.d_head)

    def dims(self, *inputs: Dims) -> Dims:
        return ("head", "query", "key")

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]} · {inputs[1]}ᵀ / √{self.d_head}"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        q, keys = inputs
        scores = ungroup(group(q, keys) @ keys.mT, q)
        scores *= self.scale
        return scores, ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        q, keys = inputs
        grouped = group(grad * self.scale, keys)
        grad_q = ungroup(grouped @ keys, q)
        return (grad_q, grouped.mT @ group(q, keys)), ()

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return (2 * self.d_head + 1) * count(self.dims(*inputs), sizes)


@dataclass(frozen=True, slots=True)
class CausalMask(Operation):
    """Keep a score where the key is not later than the query; the future is −∞."""

    kind: ClassVar[str] = "causal_mask"

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]} where key ≤ query, else −∞"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        scores = inputs[0]
        # Chosen, not added to: a NaN or an infinity in the future must not get through.
        return np.where(past(*scores.shape[-2:]), scores, scores.dtype.type(-np.inf)), ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        return (grad * past(*grad.shape[-2:]),), ()

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class Softmax(Operation):
    """`exp(x - max) / sum`, along the last dim: shares that sum to 1.

    `max` is the largest number, which keeps exp from overflowing; `sum` adds up the exp(x - max).
    """

    kind: ClassVar[str] = "softmax"
    extras: ClassVar[Dims] = ("max", "sum")
    saves: ClassVar[frozenset[str]] = frozenset({"output"})

    over: str
    """The dim along which the shares sum to 1."""

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def extra_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        return inputs[0][:-1], inputs[0][:-1]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"softmax({inputs[0]}) over {self.over}"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        x = inputs[0]
        largest = row_maxima(x)
        out = x - largest
        np.exp(out, out)
        total = row_sums(out)
        out /= total
        return out, (largest[..., 0], total[..., 0])

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        assert output is not None
        grad_x = grad - row_sums(grad * output)
        grad_x *= output
        return (grad_x,), ()

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 5 * count(inputs[0], sizes)


@dataclass(frozen=True, slots=True)
class Mix(Operation):
    """`z[h, i] = Σⱼ pattern[h, i, j] · values[h, j]`: what each position takes from others."""

    kind: ClassVar[str] = "mix"
    saves: ClassVar[frozenset[str]] = frozenset({"inputs"})

    def dims(self, *inputs: Dims) -> Dims:
        return ("head", "position", "d_head")

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]} · {inputs[1]}"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        pattern, values = inputs
        return ungroup(group(pattern, values) @ values, pattern), ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        pattern, values = inputs
        grouped = group(grad, values)
        grad_pattern = ungroup(grouped @ values.mT, pattern)
        return (grad_pattern, group(pattern, values).mT @ grouped), ()

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 2 * sizes["key"] * count(self.dims(*inputs), sizes)


def split(x: Array, n_head: int) -> Array:
    """`[batch, position, head · d_head]` to `[batch, head, position, d_head]`, a view."""
    batch, position, width = x.shape
    return x.reshape(batch, position, n_head, width // n_head).transpose(0, 2, 1, 3)


def merge(x: Array) -> Array:
    """`[batch, head, position, d_head]` to `[batch, position, head · d_head]`."""
    batch, head, position, width = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, position, head * width)


def group(x: Array, shared: Array) -> Array:
    """Stack the query heads that read one shared head: `[batch, kv_head, group · query, …]`."""
    if x.shape[1] == shared.shape[1]:
        return x
    return x.reshape(len(x), shared.shape[1], -1, x.shape[-1])


def ungroup(x: Array, like: Array) -> Array:
    """Give every query head its rows back: `[batch, head, query, …]`, heads as in `like`."""
    if x.shape[1] == like.shape[1]:
        return x
    return x.reshape(*like.shape[:-1], x.shape[-1])


@lru_cache(maxsize=64)
def past(queries: int, keys: int) -> Array:
    """True where a key is not later than the query, `[query, key]`; both end at one position."""
    mask = np.tri(queries, keys, keys - queries, dtype=bool)
    mask.flags.writeable = False
    return mask
