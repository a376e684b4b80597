"""Attention: how well queries match keys, and the mix of values.

Several query heads may share one key and value head (grouped heads): query head `h` reads key head
`h // group`. They are grouped by reshape, never repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from pellucid.ops.evidence import ALL, Evidence, Seen
from pellucid.ops.figures import figure, in_latex, sum_of_products
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.term import Derivation, Index, Place, Slope, Summand


@dataclass(frozen=True, slots=True)
class Scores(Operation):
    """`scores[h, i, j] = q[h, i] · keys[h, j] / √d_head`; or times another number, if given.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1.
    """

    kind: ClassVar[str] = "scores"
    saves: ClassVar[frozenset[str]] = frozenset({"inputs"})

    d_head: int
    factor: float | None = None
    """What products are multiplied by in place of `1 / √d_head`."""

    @property
    def scale(self) -> float:
        return 1 / sqrt(self.d_head) if self.factor is None else self.factor

    def scaled(self, product: str) -> str:
        """A product with its scale, in words."""
        if self.factor is None:
            return f"{product} / √{self.d_head}"
        return f"{product} · {figure(self.factor)}" if self.factor != 1 else product

    def scaled_in_latex(self, product: str) -> str:
        """The same in LaTeX."""
        if self.factor is None:
            return rf"\frac{{{product}}}{{\sqrt{{{self.d_head}}}}}"
        number = in_latex(figure(self.factor))
        return rf"{product} \cdot {number}" if self.factor != 1 else product

    def dims(self, *inputs: Dims) -> Dims:
        return ("head", "query", "key")

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return self.scaled(f"{inputs[0]} · {inputs[1]}ᵀ")

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return self.scaled_in_latex(rf"{inputs[0]} \cdot {inputs[1]}^{{\top}}")

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

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        head, query, key = cell
        q, keys = seen.input(0), seen.input(1)
        shared = head // group_size(q, keys)
        operands = q.at("q", head, query, ALL), keys.at("k", shared, key, ALL)
        said = f"{q.say(head, query, ALL)} · {keys.say(shared, key, ALL)}"
        tex = rf"{q.tex(head, query, ALL)} \cdot {keys.tex(shared, key, ALL)}"
        return Derivation(
            operands=operands,
            formula=self.scaled(said),
            latex=self.scaled_in_latex(tex),
            substituted=self.scaled(f"({sum_of_products([o.values for o in operands])})"),
            summands=(Summand((0, 1), self.scale),),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        q, keys = seen.input(0), seen.input(1)
        size = group_size(q, keys)
        if operand == "input 0":
            head, query, d = cell
            via = keys.at("local derivative", head // size, ALL, d)
            index: tuple[Place, ...] = (head, query, np.arange(len(via)))
            words, tex = keys.say(head // size, ALL, d), keys.tex(head // size, ALL, d)
        else:
            shared, key, d = cell
            heads, queries = readers(shared, size, q.values.shape[1])
            via = q.at("local derivative", heads, queries, d)
            index = (heads, queries, key)
            words, tex = q.say(ALL, ALL, d), q.tex(ALL, ALL, d)
        return Slope(index, via, self.scaled(words), self.scaled_in_latex(tex), self.scale)

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return (2 * self.d_head + 1) * count(self.dims(*inputs), sizes)


@dataclass(frozen=True, slots=True)
class Mix(Operation):
    """`z[h, i] = Σⱼ pattern[h, i, j] · values[h, j]`: what each position takes from others."""

    kind: ClassVar[str] = "mix"
    saves: ClassVar[frozenset[str]] = frozenset({"inputs"})

    def dims(self, *inputs: Dims) -> Dims:
        return ("head", "position", "d_head")

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]} · {inputs[1]}"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return rf"{inputs[0]} \cdot {inputs[1]}"

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

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        head, position, d = cell
        pattern, values = seen.input(0), seen.input(1)
        shared = head // group_size(pattern, values)
        operands = pattern.at("share", head, position, ALL), values.at("v", shared, ALL, d)
        return Derivation(
            operands=operands,
            formula=f"{pattern.say(head, position, ALL)} · {values.say(shared, ALL, d)}",
            latex=rf"{pattern.tex(head, position, ALL)} \cdot {values.tex(shared, ALL, d)}",
            substituted=sum_of_products([o.values for o in operands]),
            summands=(Summand((0, 1)),),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        pattern, values = seen.input(0), seen.input(1)
        size = group_size(pattern, values)
        if operand == "input 0":
            head, position, key = cell
            via = values.at("local derivative", head // size, key, ALL)
            words = values.say(head // size, key, ALL), values.tex(head // size, key, ALL)
            return Slope((head, position, np.arange(len(via))), via, *words)
        shared, key, d = cell
        heads, positions = readers(shared, size, pattern.values.shape[1])
        via = pattern.at("local derivative", heads, positions, key)
        words = pattern.say(ALL, ALL, key), pattern.tex(ALL, ALL, key)
        return Slope((heads, positions, d), via, *words)

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 2 * sizes["key"] * count(self.dims(*inputs), sizes)


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


def group_size(q: Seen, shared: Seen) -> int:
    """How many query heads read one key or value head."""
    return len(q.values) // len(shared.values)


def readers(shared: int, size: int, queries: int) -> tuple[Array, Array]:
    """The heads and queries that read a shared head, one pair for each: `[head · query]` twice."""
    heads = np.repeat(np.arange(shared * size, (shared + 1) * size), queries)
    return heads, np.tile(np.arange(queries), size)
