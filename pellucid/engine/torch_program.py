"""What a torch run does, worked out once: calls, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pellucid.decoder.graph import Graph, Node
from pellucid.engine.picking import PLACES, inputs_at_places
from pellucid.engine.torch_ops import EXTRAS, FUSIONS, TORCH, Call, Extras, Fusion, at_places


class Step(NamedTuple):
    """One call, of a single step of the graph or of several in one.

    Inputs are numbers of places: a program's inputs come first, then what its steps have made.
    """

    name: str | None
    """Of the tensor that it makes; None where it is none of the graph's."""
    call: Call
    op: Any
    inputs: tuple[int, ...]
    parameters: tuple[tuple[str, ...], ...] = ()
    """The way to each from the block's module, or from the whole decoder's."""
    extras: Extras | None = None
    """What makes the extras that follow the output, where one of them is kept."""
    rounded: bool = False
    """Whether the output comes in float64 and is to be rounded to the module's dtype."""


class Program(NamedTuple):
    """Steps between the tensors that come in and those that go out."""

    inputs: tuple[str, ...]
    steps: tuple[Step, ...]
    outputs: tuple[str, ...]
    places: tuple[int, ...]
    """Where each output stands."""


class Part(NamedTuple):
    """The steps of one block, or of what stands before, between or after the blocks."""

    block: int | None
    program: Program


class Link(NamedTuple):
    """Steps of the graph that become one call, and what it reads."""

    nodes: tuple[Node, ...]
    call: Call
    op: Any
    inputs: tuple[str, ...]

    @property
    def last(self) -> Node:
        return self.nodes[-1]


def parts(
    graph: Graph,
    keep: Iterable[str],
    outputs: Iterable[str],
    *,
    given: frozenset[str] = frozenset(),
    fuse: bool = True,
    one_place: bool = False,
    noise: bool = True,
) -> tuple[Part, ...]:
    """The programs that make `outputs` and what `keep` names, in the order in which they run.

    Args:
        graph: of the decoder.
        keep: names of tensors, which no fused call may swallow.
        outputs: the same.
        given: tensors that the programs start from instead of making them.
        fuse: whether chains of steps may become one call.
        one_place: whether one position of each text is read; see `NumpyEngine.forward`.
        noise: whether dropout leaves anything out; if not, what it reads is read in its place.

    Raises:
        PellucidError: a name is none of the graph's.
    """
    kept = {graph.resolve(name) for name in (*keep, *outputs)}
    nodes = graph.needed_for(frozenset(kept), given)
    if not noise:
        nodes = without_dropout(nodes, kept)
    links = in_links(nodes, kept if fuse else {node.name for node in nodes})
    groups: list[tuple[int | None, list[Link]]] = []
    for link in links:
        block = block_of(link.last.name)
        if not groups or groups[-1][0] != block:
            groups.append((block, []))
        groups[-1][1].append(link)
    axes = inputs_at_places(graph, nodes, given) if one_place else {}
    found: list[Part] = []
    wanted = set(kept)
    for block, group in reversed(groups):
        program = program_of(group, wanted, kept, axes)
        wanted.update(program.inputs)
        found.append(Part(block, program))
    return tuple(reversed(found))


def without_dropout(nodes: Sequence[Node], kept: set[str]) -> tuple[Node, ...]:
    """The steps without dropouts, but for those that are kept."""
    instead: dict[str, str] = {}
    found = []
    for node in nodes:
        inputs = tuple(instead.get(name, name) for name in node.inputs)
        if node.op.kind == "dropout" and not makes(node) & kept:
            instead[node.name] = inputs[0]
        else:
            found.append(replace(node, inputs=inputs))
    return tuple(found)


def block_of(name: str) -> int | None:
    """The number of the block that a tensor or parameter belongs to."""
    first, _, rest = name.partition(".")
    return int(rest.partition(".")[0]) if first == "blocks" else None


def path_of(parameter: str) -> tuple[str, ...]:
    """The way to a parameter from its block's module, or from the whole decoder's."""
    pieces = tuple(parameter.split("."))
    return pieces if block_of(parameter) is None else pieces[2:]


def in_links(nodes: Sequence[Node], kept: set[str]) -> list[Link]:
    """Every step, chains that have one call and of which nothing inside is kept as one."""
    readers: dict[str, list[Node]] = {}
    for node in nodes:
        for name in node.inputs:
            readers.setdefault(name, []).append(node)
    chains = {}
    for node in nodes:
        for fusion in FUSIONS:
            chain = chain_from(node, fusion, readers, kept)
            if chain:
                chains[chain[-1].name] = chained(fusion, chain)
    swallowed = {node.name for link in chains.values() for node in link.nodes}
    return [
        chains.get(node.name, Link((node,), TORCH[node.op.kind], node.op, node.inputs))
        for node in nodes
        if node.name in chains or node.name not in swallowed
    ]


def chain_from(
    node: Node, fusion: Fusion, readers: Mapping[str, Sequence[Node]], kept: set[str]
) -> tuple[Node, ...]:
    """The steps from this one on that a fused call stands for, or none."""
    chain: list[Node] = []
    for kind in fusion.kinds:
        if chain:
            last = chain[-1]
            next_ones = readers.get(last.name, ())
            if len(next_ones) != 1 or next_ones[0].inputs[0] != last.name or makes(last) & kept:
                return ()
            node = next_ones[0]
        if node.op.kind != kind:
            return ()
        chain.append(node)
    return tuple(chain)


def makes(node: Node) -> set[str]:
    """The names of what a step makes."""
    return {fact.name for fact in (node.fact, *node.extras)}


def chained(fusion: Fusion, chain: tuple[Node, ...]) -> Link:
    """A chain as one call."""
    first, *others = chain
    inputs = (*first.inputs, *(name for node in others for name in node.inputs[1:]))
    return Link(chain, fusion.call, tuple(node.op for node in chain), inputs)


def program_of(
    links: Sequence[Link],
    wanted: set[str],
    kept: set[str],
    axes: Mapping[str, Sequence[tuple[str, int | None]]],
) -> Program:
    """The calls of consecutive links.

    Args:
        links: of one block, or of none.
        wanted: names that are kept or read after them.
        kept: names that are kept.
        axes: for steps that read one place alone, the axis of each input's positions.
    """
    made = {name for link in links for node in link.nodes for name in makes(node)}
    outside = dict.fromkeys(name for link in links for name in link.inputs if name not in made)
    if any(link.last.name in axes for link in links):
        outside[PLACES] = None
    draft = Draft(tuple(outside))
    for link in links:
        along = {name: axis for node in link.nodes for name, axis in axes.get(node.name, ())}
        draft.add(link, along, with_extras=bool((makes(link.last) - {link.last.name}) & kept))
    outputs = tuple(name for name in draft.slots if name in made & wanted)
    return Program(
        draft.inputs, tuple(draft.steps), outputs, tuple(draft.slots[name] for name in outputs)
    )


class Draft:
    """A program that is being written: its steps so far, and where each tensor stands."""

    def __init__(self, inputs: tuple[str, ...]) -> None:
        self.inputs = inputs
        self.steps: list[Step] = []
        self.slots: dict[Any, int] = {name: slot for slot, name in enumerate(inputs)}

    def add(self, link: Link, along: Mapping[str, int | None], *, with_extras: bool) -> None:
        """Add a call, and before it what picks one place of its inputs `along` their axes."""
        node = link.last
        step = Step(
            name=node.name,
            call=link.call,
            op=link.op,
            inputs=tuple(self.place_of(name, along.get(name)) for name in link.inputs),
            parameters=tuple(path_of(name) for each in link.nodes for name in each.parameters),
            extras=EXTRAS[node.op.kind] if with_extras else None,
            rounded=not node.op.reads_numbers,
        )
        self.steps.append(step)
        for fact in (node.fact, *(node.extras if with_extras else ())):
            self.slots[fact.name] = len(self.slots)

    def place_of(self, name: str, axis: int | None) -> int:
        """Where a step finds an input; one place of it, if it has an axis for positions."""
        if axis is None:
            return self.slots[name]
        if (name, axis) not in self.slots:
            picked = Step(None, at_places, axis, (self.slots[name], self.slots[PLACES]))
            self.steps.append(picked)
            self.slots[name, axis] = len(self.slots)
        return self.slots[name, axis]
