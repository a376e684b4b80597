"""What a run does, in order, worked out once: which steps, what each reads, what may be forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from pellucid.decoder.graph import Graph, Node
from pellucid.ops.operation import Array, Backward, Forward


class Keep(Enum):
    """What stays of a run."""

    NOTHING = auto()
    """Only the outputs that were asked for."""
    BACKWARD = auto()
    """What a backward pass reads."""
    EVERYTHING = auto()
    """Every tensor that the graph names, intermediates included."""


@dataclass(frozen=True, slots=True)
class Step:
    """A node made ready: bound to its parameters, with what can be forgotten once it has run."""

    name: str
    inputs: tuple[str, ...]
    extras: tuple[str, ...]
    parameter_names: tuple[str, ...]
    parameters: tuple[Array, ...]
    forward: Callable[[Sequence[Array], Sequence[Array]], Forward]
    backward: Callable[..., Backward]
    frees: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps to run forwards, and those that a gradient passes on its way back, last first."""

    forward: tuple[Step, ...]
    backward: tuple[Step, ...]


def plan(
    graph: Graph,
    parameters: Mapping[str, Array],
    dtype: Any,
    keep: Keep | frozenset[str],
    outputs: Iterable[str],
) -> Plan:
    """Work out a run of `graph` that ends with `outputs` and keeps what `keep` says.

    Raises:
        PellucidError: a name is none of the graph's.
    """
    asked = {graph.resolve(name) for name in outputs}
    if isinstance(keep, frozenset):
        asked |= {graph.resolve(name) for name in keep}
    elif keep is Keep.EVERYTHING and "loss" not in asked:
        asked.add("probs")
    nodes = graph.needed_for(frozenset(asked))
    if keep is Keep.EVERYTHING:
        nodes = graph.needed_for(frozenset(asked | {"probs"}))
    kept = asked | kept_for(nodes, keep)
    last_use = {name: node.name for node in nodes for name in node.inputs}
    frees: dict[str, list[str]] = {node.name: [] for node in nodes}
    for node in nodes:
        for fact in (node.fact, *node.extras):
            if fact.name not in kept:
                frees[last_use.get(fact.name, node.name)].append(fact.name)
    steps = tuple(bind(node, parameters, dtype, tuple(frees[node.name])) for node in nodes)
    return Plan(steps, tuple(steps[i] for i in reversed(path_to_loss(nodes))))


def kept_for(nodes: Sequence[Node], keep: Keep | frozenset[str]) -> set[str]:
    if keep is Keep.EVERYTHING:
        return {fact.name for node in nodes for fact in (node.fact, *node.extras)}
    if keep is not Keep.BACKWARD:
        return set()
    kept: set[str] = set()
    for node in nodes:
        saves = node.op.saves
        kept.update(node.inputs if "inputs" in saves else ())
        kept.update((node.name,) if "output" in saves else ())
        kept.update(f"{node.name}.{extra}" for extra in node.op.extras if extra in saves)
    return kept


def path_to_loss(nodes: Sequence[Node]) -> list[int]:
    """Indices of the steps whose output the loss depends on; none where there is no loss."""
    reached, indices = {"loss"}, []
    for i, node in reversed(list(enumerate(nodes))):
        if node.name in reached:
            reached.update(node.inputs)
            indices.append(i)
    return indices[::-1]


def bind(node: Node, parameters: Mapping[str, Array], dtype: Any, frees: tuple[str, ...]) -> Step:
    op = node.op

    def forward_rounded(inputs: Sequence[Array], given: Sequence[Array]) -> Forward:
        output, extras = op.forward(inputs, given)
        return output.astype(dtype, copy=False), extras

    return Step(
        name=node.name,
        inputs=node.inputs,
        extras=tuple(fact.name for fact in node.extras),
        parameter_names=node.parameters,
        parameters=tuple(parameters[name] for name in node.parameters),
        forward=op.forward if op.reads_numbers else forward_rounded,
        backward=op.backward,
        frees=frees,
    )
