"""What a trace weighs, in bytes, before anything is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from pellucid.decoder.graph import Graph, Node
from pellucid.decoder.parameters import parameter_specs
from pellucid.ops.alibi import Alibi
from pellucid.ops.heads import MergeHeads, Remember, SplitHeads
from pellucid.ops.operation import Operation, Sizes, count
from pellucid.ops.residual import Add


def trace_bytes(
    graph: Graph,
    positions: int,
    dtype: Any,
    *,
    names: Iterable[str] | None = None,
    gradients: bool = False,
) -> int:
    """Bytes of the arrays in a trace of one text.

    Memory that several tensors share counts once: `q` is `q_flat` read in another order, `keys` are
    `k`, and a sum hands its gradient on as it is. On disk each tensor stands by itself.

    Args:
        graph: of the model.
        positions: how many tokens.
        dtype: of the model's numbers.
        names: the tensors to keep; everything unless given.
        gradients: whether the trace has a target, and with it a loss and gradients: of these
            tensors, and of all parameters.

    Raises:
        PellucidError: a name is none of the graph's.
    """
    kept = names_to_keep(graph, names, target=gradients)
    values = value_bytes(graph, positions, dtype, kept)
    back = gradient_bytes(graph, positions, dtype, kept) if gradients else {}
    return sum(values.values()) + sum(back.values())


def names_to_keep(graph: Graph, names: Iterable[str] | None, *, target: bool) -> tuple[str, ...]:
    """Own names of what a trace keeps, in order; the loss too where there is a target."""
    wanted = set(graph.facts if names is None else map(graph.resolve, names))
    if target:
        wanted.add("loss")
    return tuple(n for n in graph.facts if n in wanted and (target or not n.startswith("loss")))


def value_bytes(graph: Graph, positions: int, dtype: Any, names: Iterable[str]) -> dict[str, int]:
    """Bytes by name; a tensor in the memory of one that is kept too is left out."""
    sizes = sizes_of(graph, positions)
    owners = first_of_each(names, lambda name: value_home(graph, name, sizes))
    return {name: tensor_bytes(graph, name, sizes, dtype) for name in owners}


def gradient_bytes(
    graph: Graph, positions: int, dtype: Any, names: Iterable[str]
) -> dict[str, int]:
    """The same for the gradients: of those on the way to the loss, and of all parameters."""
    sizes, readers = sizes_of(graph, positions), readers_of(graph)
    reached = [name for name in names if name == "loss" or name in readers]
    owners = first_of_each(reached, lambda name: gradient_home(name, readers, sizes))
    learned = sum(spec.size for spec in parameter_specs(graph).values())
    return {
        **{f"gradient of {name}": tensor_bytes(graph, name, sizes, dtype) for name in owners},
        "gradients of the parameters": learned * np.dtype(dtype).itemsize,
    }


def first_of_each(names: Iterable[str], home: Callable[[str], str]) -> tuple[str, ...]:
    """The names, but only the first of those that have one home."""
    homes: dict[str, str] = {}
    for name in names:
        homes.setdefault(home(name), name)
    return tuple(homes.values())


def tensor_bytes(graph: Graph, name: str, sizes: Sizes, dtype: Any) -> int:
    """Bytes of one tensor."""
    itemsize: int = np.dtype(dtype).itemsize
    return itemsize * count(graph.facts[name].dims, sizes)


def sizes_of(graph: Graph, positions: int) -> Sizes:
    """The length of every dim in a run over so many positions."""
    return {**graph.sizes, **dict.fromkeys(("position", "query", "key"), positions)}


def value_home(graph: Graph, name: str, sizes: Sizes) -> str:
    """The tensor in whose memory this one lies: itself, unless it is a view."""
    while name == (node := graph.owners[name]).name and is_view(node.op, sizes):
        name = node.inputs[0]
    return name


def gradient_home(name: str, readers: Mapping[str, list[Node]], sizes: Sizes) -> str:
    """The tensor in whose gradient's memory this one's gradient lies.

    Where two steps read a tensor, their gradients are added up in memory of their own.
    """
    while len(readers.get(name, ())) == 1 and hands_back(readers[name][0].op, sizes):
        name = readers[name][0].name
    return name


def readers_of(graph: Graph) -> Mapping[str, list[Node]]:
    """The steps on the way to the loss that read each tensor."""
    readers: dict[str, list[Node]] = {}
    for node in graph.needed_for(frozenset({"loss"})):
        for name in node.inputs:
            if name in graph.facts:
                readers.setdefault(name, []).append(node)
    return readers


def is_view(op: Operation, sizes: Sizes) -> bool:
    """Whether the output is the input's own memory, read in the same or another order."""
    return isinstance(op, SplitHeads | Remember) or (
        isinstance(op, MergeHeads) and keeps_order(op, sizes)
    )


def hands_back(op: Operation, sizes: Sizes) -> bool:
    """Whether an input's gradient is the output's gradient, read in the same or another order."""
    return isinstance(op, Add | Alibi | Remember | MergeHeads) or (
        isinstance(op, SplitHeads) and keeps_order(op, sizes)
    )


def keeps_order(op: SplitHeads | MergeHeads, sizes: Sizes) -> bool:
    """Whether laying heads side by side moves no number."""
    return op.n_head == 1 or sizes["position"] == 1
