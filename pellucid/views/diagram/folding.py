"""Blocks that are alike, so that one can be drawn for all of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import groupby

from pellucid.decoder.graph import Graph, Node
from pellucid.decoder.names import shorten


@dataclass(frozen=True, slots=True)
class Run:
    """Blocks one after the other, from `first` to `last`, that the same picture stands for."""

    first: int
    last: int

    @property
    def prefix(self) -> str:
        """How the names in the block that is drawn begin."""
        return f"blocks.{self.first}."

    @property
    def count(self) -> int:
        return self.last - self.first + 1

    @property
    def title(self) -> str:
        ends = (self.first,) if self.count == 1 else (self.first, self.last)
        return " … ".join(f"blocks.{i}" for i in ends)


def block_of(name: str) -> int | None:
    """The number of the block that a tensor belongs to: 3 for `blocks.3.attn.q`."""
    return int(name.split(".", 2)[1]) if name.startswith("blocks.") else None


def find_runs(graph: Graph, *, unfold: bool = False) -> tuple[Run, ...]:
    """The blocks of a graph in order, neighbours of the same structure as one; `unfold`: each."""
    made: dict[int, list[Node]] = {}
    for node in graph.nodes:
        if (number := block_of(node.name)) is not None:
            made.setdefault(number, []).append(node)
    blocks = [(number, anatomy(graph, number, made[number])) for number in sorted(made)]
    alike = groupby(blocks, key=lambda each: each if unfold else each[1])
    return tuple(_run(numbers) for _, numbers in alike)


def _run(blocks: Iterator[tuple[int, Hashable]]) -> Run:
    numbers = [number for number, _ in blocks]
    return Run(numbers[0], numbers[-1])


def anatomy(graph: Graph, number: int, nodes: list[Node]) -> Hashable:
    """What a block is, whatever its number: equal for two blocks that do the same."""
    prefix = f"blocks.{number}."
    return tuple(
        (
            node.name.removeprefix(prefix),
            # An operation may know its own place by name, as a dropout does.
            repr(node.op).replace(prefix, ""),
            tuple(within(graph, number, name) for name in node.inputs),
            tuple(name.removeprefix(prefix) for name in node.parameters),
            node.dims,
        )
        for node in nodes
    )


def within(graph: Graph, number: int, name: str, scope: str | None = None) -> str:
    """A tensor's name as a block sees it: what comes in is `resid_pre`, whoever made it."""
    prefix = f"blocks.{number}."
    if name == graph.aliases.get(f"{prefix}resid_pre"):
        return "resid_pre"
    return shorten(name, scope or prefix)
