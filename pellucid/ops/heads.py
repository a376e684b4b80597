"""Heads: a position's vector cut into pieces, remembered, and laid side by side again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pellucid.ops.evidence import Evidence, Seen, copied, unchanged
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes
from pellucid.ops.term import Derivation, Index, Slope


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

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        heads = f"{self.n_head} head{'s' if self.n_head > 1 else ''}"
        return rf"{inputs[0]}\text{{, cut into {heads}}}"

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

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        head, position, d = cell
        x = seen.input(0)
        return copied(x, (position, head * self.d_head(x) + d), f", head {head} of {self.n_head}")

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        position, column = cell
        head, d = divmod(column, self.d_head(seen.input(0)))
        return unchanged(head, position, d)

    def d_head(self, x: Seen) -> int:
        """How long the vector of one head is."""
        return int(x.values.shape[-1]) // self.n_head

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

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return rf"{inputs[0]}\text{{, heads side by side}}"

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

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        position, column = cell
        z = seen.input(0)
        head, d = divmod(column, z.values.shape[-1])
        return copied(z, (head, position, d), f", head {head} of {self.n_head}")

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        head, position, d = cell
        return unchanged(position, head * seen.input(0).values.shape[-1] + d)

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class Remember(Operation):
    """Every key (or value) so far: where `position` becomes `key`.

    In one pass over a whole text these are the same numbers; a decoding with a cache adds to them.
    """

    kind: ClassVar[str] = "remember"
    joins_positions: ClassVar[bool] = True

    def dims(self, *inputs: Dims) -> Dims:
        return tuple("key" if dim == "position" else dim for dim in inputs[0])

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]} of every position so far"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return rf"{inputs[0]}\text{{ of every position so far}}"

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

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        return copied(seen.input(0), cell, "")

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        return unchanged(*cell)

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 0


def split(x: Array, n_head: int) -> Array:
    """`[batch, position, head · d_head]` to `[batch, head, position, d_head]`, a view."""
    batch, position, width = x.shape
    return x.reshape(batch, position, n_head, width // n_head).transpose(0, 2, 1, 3)


def merge(x: Array) -> Array:
    """`[batch, head, position, d_head]` to `[batch, position, head · d_head]`."""
    batch, head, position, width = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, position, head * width)
