"""What a run does, worked out once: which steps, what each reads, what may be forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple

from pellucid.decoder.graph import GRAPH_INPUTS, Graph, Node
from pellucid.engine.picking import Pick, picker, picks
from pellucid.ops.operation import Array


class Keep(Enum):
    """What stays of a run."""

    NOTHING = auto()
    """Only the outputs that were asked for."""
    BACKWARD = auto()
    """What a backward pass reads."""
    EVERYTHING = auto()
    """Every tensor that the graph names, intermediates included."""


class Forward(NamedTuple):
    """A node made ready to run: bound to its parameters and to the names it reads and writes.

    A tuple, because the loop over a toy's steps takes as long as its arithmetic.
    """

    name: str
    pick_inputs: Pick
    run: Callable[..., Any]
    parameters: tuple[Array, ...]
    extras: tuple[str, ...]
    frees: tuple[str, ...]
    """What nobody reads after this step."""


class Backward(NamedTuple):
    """The way back through a node: what it reads, and where its gradients go."""

    name: str
    pick_inputs: Pick
    run: Callable[..., Any]
    parameters: tuple[Array, ...]
    output: str | None
    pick_extras: Pick
    to_inputs: tuple[tuple[str, bool], ...]
    """For each input its name, and whether another step has sent it a gradient before."""
    to_parameters: tuple[tuple[str, bool], ...]


class Plan(NamedTuple):
    """Steps to run forwards, and those that a gradient passes on its way back, last first."""

    forward: tuple[Forward, ...]
    backward: tuple[Backward, ...]


def plan(
    graph: Graph,
    parameters: Mapping[str, Array],
    dtype: Any,
    keep: frozenset[str | Keep],
    outputs: Iterable[str],
    *,
    given: frozenset[str] = frozenset(),
    one_place: bool = False,
) -> Plan:
    """Work out a run of `graph` that ends with `outputs` and keeps what `keep` says.

    It starts from the tensors that are `given`. With `one_place` it reads one position of each
    text, and goes elsewhere only where it must.

    Raises:
        PellucidError: a name is none of the graph's.
    """
    names = [*outputs, *(name for name in keep if isinstance(name, str))]
    asked = {graph.resolve(name) for name in names}
    last = {"probs"} if Keep.EVERYTHING in keep else set[str]()
    nodes = graph.needed_for(frozenset(asked | last), given)
    kept = asked.union(*(kept_for(nodes, how) for how in keep if isinstance(how, Keep)))
    frees, pick = forgotten(nodes, kept), picks(graph, nodes, given, one_place=one_place)
    return Plan(
        tuple(
            ready_forward(node, pick[node.name], parameters, dtype, frees[node.name])
            for node in nodes
        ),
        way_back(nodes, parameters, kept | set(GRAPH_INPUTS)),
    )


def kept_for(nodes: Sequence[Node], keep: Keep) -> set[str]:
    """The tensors of these steps that stay because of `keep`."""
    if keep is Keep.EVERYTHING:
        return {fact.name for node in nodes for fact in (node.fact, *node.extras)}
    if keep is not Keep.BACKWARD:
        return set()
    kept: set[str] = set()
    for node in nodes:
        saves = node.op.saves
        kept.update(node.inputs if "inputs" in saves else ())
        kept.update((node.name,) if "output" in saves else ())
        kept.update(f"{node.stem}.{extra}" for extra in node.op.extras if extra in saves)
    return kept


def forgotten(nodes: Sequence[Node], kept: set[str]) -> dict[str, tuple[str, ...]]:
    """For each step the tensors that are not kept and that nobody reads after it."""
    last_use = {name: node.name for node in nodes for name in node.inputs}
    frees: dict[str, list[str]] = {node.name: [] for node in nodes}
    for node in nodes:
        for fact in (node.fact, *node.extras):
            if fact.name not in kept:
                frees[last_use.get(fact.name, node.name)].append(fact.name)
    return {step: tuple(names) for step, names in frees.items()}


def ready_forward(
    node: Node,
    pick: Pick,
    parameters: Mapping[str, Array],
    dtype: Any,
    frees: tuple[str, ...],
) -> Forward:
    """A node bound to its parameters, for the way forwards."""
    op = node.op

    def rounded(inputs: Sequence[Array], given: Sequence[Array]) -> Any:
        output, extras = op.forward(inputs, given)
        return output.astype(dtype, copy=False), extras

    return Forward(
        name=node.name,
        pick_inputs=pick,
        run=op.forward if op.reads_numbers else rounded,
        parameters=tuple(parameters[name] for name in node.parameters),
        extras=tuple(fact.name for fact in node.extras),
        frees=frees,
    )


def way_back(
    nodes: Sequence[Node], parameters: Mapping[str, Array], kept: set[str]
) -> tuple[Backward, ...]:
    """The steps whose output the loss depends on, last first; none where there is no loss."""
    reached, shared = {"loss"}, set[str]()
    steps = []
    for node in reversed(nodes):
        if node.name not in reached:
            continue
        step = Backward(
            name=node.name,
            pick_inputs=picker([name if name in kept else None for name in node.inputs]),
            run=node.op.backward,
            parameters=tuple(parameters[name] for name in node.parameters),
            output=node.name if node.name in kept else None,
            pick_extras=picker([f.name if f.name in kept else None for f in node.extras]),
            to_inputs=routes(node.inputs, reached),
            to_parameters=routes(node.parameters, shared),
        )
        steps.append(step)
    return tuple(steps)


def routes(names: Sequence[str], sent: set[str]) -> tuple[tuple[str, bool], ...]:
    """Each name with whether it has been sent a gradient before, by this step or a later one."""
    pairs = []
    for name in names:
        pairs.append((name, name in sent))
        sent.add(name)
    return tuple(pairs)
