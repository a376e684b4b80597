"""From a graph to what a diagram of it shows: which steps are one box, and what each box says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pellucid.decoder.graph import GRAPH_INPUTS, Graph, Node
from pellucid.decoder.names import scope_of, shorten
from pellucid.decoder.parameters import ParameterSpec, parameter_specs
from pellucid.errors import PellucidError, did_you_mean
from pellucid.ops.operation import Dims
from pellucid.views.diagram.folding import Run, block_of, find_runs, within
from pellucid.views.diagram.structure import Box, Frame, Length, Line, Parameter, Structure
from pellucid.views.labels import label

DEPTHS = ("overview", "block", "deep")
OF_THE_TEXT = ("position", "query", "key")
"""Dims as long as the text."""

SCOPES = {
    "attn": ("Attention", "each position gathers from those before it"),
    "mlp": ("Feed-forward", "each position by itself"),
}
"""What the parts of a block are called where each is one box."""

COLOURED = {
    "add": "stream",
    "layer_norm": "norm",
    "rms_norm": "norm",
    "cross_entropy": "loss",
    "mean_loss": "loss",
}
"""The part that a step outside attention and feed-forward belongs to, by its kind."""


def read(
    graph: Graph, *, depth: str = "block", unfold: bool = False, tokens: Sequence[str] = ()
) -> Structure:
    """What is to be drawn of a graph.

    Args:
        graph: any decoder.
        depth: "overview" has a box for each part, "block" one for each step of mathematics, "deep"
            one for every node, with its parameters and its equation, and the loss.
        unfold: draw every block, and not one for all that are alike.
        tokens: labels of a prompt; `position`, `query` and `key` are then as long as it is.

    Raises:
        PellucidError: the depth is unknown, or the prompt is longer than the context.
    """
    if depth not in DEPTHS:
        near = did_you_mean(depth, DEPTHS) or f" There are {', '.join(DEPTHS)}."
        raise PellucidError(f'There is no depth "{depth}".{near}')
    shown = tuple(map(label, tokens))
    most = graph.sizes["position"]
    if len(tokens) > most:
        raise PellucidError(
            f"The prompt has {len(tokens):,} tokens, and this model reads at most {most:,}."
        )
    return _Reader(graph, depth, find_runs(graph, unfold=unfold), shown).structure()


@dataclass(frozen=True)
class _Reader:
    """One reading of a graph: which node is in which box, and what the boxes say."""

    graph: Graph
    depth: str
    runs: tuple[Run, ...]
    tokens: tuple[str, ...]

    def structure(self) -> Structure:
        boxes = tuple(self.box(nodes) for nodes in self.grouped.values())
        return Structure(
            depth=self.depth,
            boxes=boxes,
            lines=tuple(dict.fromkeys(self.lines())),
            frames=tuple(self.frame(run, boxes) for run in self.runs),
            panels=tuple(self.panels(boxes)),
            tokens=self.tokens,
            most_positions=None if self.tokens else self.graph.sizes["position"],
        )

    @cached_property
    def drawn(self) -> dict[str, Node]:
        """The steps that are drawn, those of the first block of each run for all of it."""
        everything = self.depth == "deep"
        nodes = self.graph.nodes if everything else self.graph.needed_for(frozenset({"probs"}))
        firsts = {None, *(run.first for run in self.runs)}
        return {node.name: node for node in nodes if block_of(node.name) in firsts}

    @cached_property
    def readers(self) -> Mapping[str, list[Node]]:
        """Who reads each drawn step."""
        found: dict[str, list[Node]] = {name: [] for name in self.drawn}
        for node in self.drawn.values():
            for name in node.inputs:
                if name not in GRAPH_INPUTS:
                    found[self.stand_in(name)].append(node)
        return found

    @cached_property
    def group(self) -> Mapping[str, str]:
        """For every drawn step the key of its box."""
        return {name: self.key(node) for name, node in self.drawn.items()}

    @cached_property
    def grouped(self) -> dict[str, list[Node]]:
        """The steps of each box, in the order of the last of each."""
        found: dict[str, list[Node]] = {}
        for name, node in self.drawn.items():
            key = self.group[name]
            found[key] = [*found.pop(key, []), node]
        return found

    @cached_property
    def box_names(self) -> Mapping[str, str]:
        """For every drawn step the name of its box."""
        return {
            node.name: self.stands_for(nodes).name
            for nodes in self.grouped.values()
            for node in nodes
        }

    @cached_property
    def specs(self) -> Mapping[str, ParameterSpec]:
        """What is known of each parameter."""
        return parameter_specs(self.graph)

    @cached_property
    def uses(self) -> Mapping[str, int]:
        """How many steps of the graph read each parameter."""
        found: dict[str, int] = {}
        for node in self.graph.nodes:
            for name in node.parameters:
                found[name] = found.get(name, 0) + 1
        return found

    def key(self, node: Node) -> str:
        """What a step shares with those in the same box."""
        if self.depth == "deep":
            return node.name
        if self.depth == "overview":
            scope = scope_of(node.name)
            return scope if scope.count(".") > 2 else node.name
        return self.moved_to(node)

    def moved_to(self, node: Node) -> str:
        """The step of mathematics that a mere change of layout is drawn with.

        A cut into heads and a memory go with what they read, and a linear map with the cut after
        it; heads laid side by side go with the projection that reads them.
        """
        readers = self.readers[node.name]
        only = readers[0] if len(readers) == 1 else None
        if node.op.kind == "remember":
            return self.moved_to(self.drawn[self.stand_in(node.inputs[0])])
        if only is not None and node.op.kind == "linear" and only.op.kind == "split_heads":
            return only.name
        if only is not None and node.op.kind == "merge_heads" and only.op.kind == "linear":
            return only.name
        return node.name

    def stands_for(self, nodes: Sequence[Node]) -> Node:
        """The step whose output a box is known by: the last, but for a mere memory of it."""
        return [node for node in nodes if node.op.kind != "remember" or len(nodes) == 1][-1]

    def stand_in(self, name: str) -> str:
        """The drawn step that makes a tensor, or makes it in the block that is drawn for it."""
        made_by = self.graph.owners[name].name
        number = block_of(made_by)
        for run in self.runs:
            if number is not None and run.first <= number <= run.last:
                return run.prefix + made_by.removeprefix(f"blocks.{number}.")
        return made_by

    def lines(self) -> Iterable[Line]:
        for name, node in self.drawn.items():
            for given in node.inputs:
                if given not in GRAPH_INPUTS:
                    source, target = self.box_names[self.stand_in(given)], self.box_names[name]
                    if source != target:
                        yield Line(source, target)

    def box(self, nodes: Sequence[Node]) -> Box:
        """What a box says."""
        last = self.stands_for(nodes)
        title, note = self.words(last)
        return Box(
            name=last.name,
            label=self.local(last.name),
            title=title,
            note=note,
            shape=self.shape(last.dims),
            kind=last.op.kind if len(nodes) == 1 else "several",
            part=part_of(last),
            nodes=tuple(node.name for node in nodes),
            equations=tuple(self.equation(node) for node in nodes),
            main=self.main(last),
            inputs=tuple(
                dict.fromkeys(
                    name for node in nodes for name in node.inputs if name in GRAPH_INPUTS
                )
            ),
            parameters=self.parameters(nodes) if self.depth == "deep" else (),
            inside=self.inside(nodes) if self.depth == "overview" else (),
            aliases=tuple(name for name, of in self.graph.aliases.items() if of == last.name),
        )

    def words(self, node: Node) -> tuple[str, str]:
        """A box's title, and what is said beneath it."""
        if self.depth == "overview" and (scope := scope_of(node.name)).count(".") > 2:
            part = scope.rstrip(".").rpartition(".")[2]
            return SCOPES.get(part, (part, ""))
        for mark in (": ", ", "):
            if mark in node.title:
                title, _, note = node.title.partition(mark)
                return title, note
        return node.title, ""

    def local(self, name: str) -> str:
        """A name as it reads within its frame."""
        number = block_of(name)
        return name if number is None else name.removeprefix(f"blocks.{number}.")

    def equation(self, node: Node) -> str:
        """A step's equation, in which what comes into a block is `resid_pre`, whoever made it."""
        number, scope = block_of(node.name), scope_of(node.name)
        given = [
            shorten(name, scope) if number is None else within(self.graph, number, name, scope)
            for name in node.inputs
        ]
        right = node.op.equation(given, node.op.parameters, self.graph.sizes)
        return f"{shorten(node.name, scope)} = {right}"

    def main(self, last: Node) -> str | None:
        """The box that the first input comes from, of the first input, and so on."""
        home = self.box_names[last.name]
        node = last
        while node.inputs[0] not in GRAPH_INPUTS:
            node = self.drawn[self.stand_in(node.inputs[0])]
            if self.box_names[node.name] != home:
                return self.box_names[node.name]
        return None

    def shape(self, dims: Dims) -> tuple[Length, ...]:
        return tuple(Length(dim, self.length(dim)) for dim in dims)

    def length(self, dim: str) -> int | None:
        """How long a dim is; not known for the text's own without a text."""
        return self.graph.sizes[dim] if dim not in OF_THE_TEXT else len(self.tokens) or None

    def parameters(self, nodes: Sequence[Node]) -> tuple[Parameter, ...]:
        return tuple(
            Parameter(
                name,
                shorten(name, scope_of(node.name)),
                # A table of positions is as long as the context, whatever the text.
                tuple(
                    Length(*each)
                    for each in zip(self.specs[name].dims, self.specs[name].shape, strict=True)
                ),
                self.uses[name] > 1,
            )
            for node in nodes
            for name in node.parameters
        )

    def inside(self, nodes: Sequence[Node]) -> tuple[Length, ...]:
        """What a part of several steps has inside: its heads, its width."""
        if len(nodes) == 1:
            return ()
        there = {dim for node in nodes for dim in node.dims}
        hidden = {"d_model", "d_attn", "d_kv", *OF_THE_TEXT}
        return self.shape(tuple(dim for dim in self.graph.sizes if dim in there - hidden))

    def frame(self, run: Run, boxes: Sequence[Box]) -> Frame:
        names = frozenset(box.name for box in boxes if box.name.startswith(run.prefix))
        return Frame(run.title, run.count, names)

    def panels(self, boxes: Sequence[Box]) -> Iterable[Frame]:
        """Attention and the feed-forward network, around the boxes of each."""
        for run in self.runs:
            for part, (title, _) in SCOPES.items():
                prefix = f"{run.prefix}{part}."
                names = frozenset(box.name for box in boxes if box.name.startswith(prefix))
                if len(names) > 1:
                    yield Frame(title, 1, names)


def part_of(node: Node) -> str:
    """What a step belongs to, for its colour."""
    scope = scope_of(node.name)
    if scope.count(".") > 2:
        return scope.rstrip(".").rpartition(".")[2]
    embeds = scope == "embed." and node.op.kind != "add"
    return "embed" if embeds else COLOURED.get(node.op.kind, "head")
