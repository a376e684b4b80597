"""The decoder as data: an ordered list of named steps, from which everything else is derived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.names import complete, translate
from pellucid.errors import PellucidError
from pellucid.ops.frequencies import Frequencies
from pellucid.ops.operation import Dims, Operation, Sizes
from pellucid.ops.part import Part
from pellucid.ops.rotary import Rotate
from pellucid.showing import to_html

GRAPH_INPUTS: Mapping[str, Dims] = {
    "ids": ("position",),
    "positions": ("position",),
    "targets": ("position",),
    "lengths": (),
    "noise": (),
    "step": ("position",),
}
"""What a run is given, by name: whole numbers, `[batch, *dims]`.

`lengths` says how many positions each text has, for rotary positions that depend on it; `noise` is
for dropout alone, and `step` the step of a generation that reads each position, for edits alone.
"""


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a tensor before anything is run: its name, dims, title and equation.

    `latex` is the equation for media that can set it; "" where the equation is words.
    """

    name: str
    dims: Dims
    title: str
    equation: str
    latex: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """One step: an operation, what it reads, and what its output is called.

    `parameters` are full names, in the order that the operation takes them. `extras` are the facts
    of the intermediates that the operation keeps beside its output.
    """

    fact: Fact
    op: Operation
    inputs: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    extras: tuple[Fact, ...] = ()

    @property
    def name(self) -> str:
        return self.fact.name

    @property
    def stem(self) -> str:
        """What the names of its extras begin with: its own name, or that before an edit took it."""
        return self.extras[0].name.rpartition(".")[0] if self.extras else self.name

    @property
    def dims(self) -> Dims:
        return self.fact.dims

    @property
    def title(self) -> str:
        return self.fact.title

    @property
    def equation(self) -> str:
        return self.fact.equation

    @property
    def latex(self) -> str:
        return self.fact.latex


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """Steps in the order in which they run.

    `aliases` are second names of tensors. `sizes` gives the length of every dim; for `position`,
    `query` and `key` it is the most there can be. `config` is what the graph was built from.
    """

    nodes: tuple[Node, ...]
    aliases: Mapping[str, str] = field(default_factory=dict)
    sizes: Sizes = field(default_factory=dict)
    config: ModelConfig | None = None

    @cached_property
    def facts(self) -> Mapping[str, Fact]:
        """Every tensor that a run can keep, in order: a step's intermediates, then its output."""
        return {fact.name: fact for node in self.nodes for fact in (*node.extras, node.fact)}

    @cached_property
    def owners(self) -> Mapping[str, Node]:
        """The step that makes each tensor, by the tensor's name."""
        return {fact.name: node for node in self.nodes for fact in (*node.extras, node.fact)}

    def node(self, name: str) -> Node:
        """The step that makes a tensor, which may be one of its intermediates.

        Raises:
            PellucidError: no tensor has that name; near names are offered.
        """
        return self.owners[self.resolve(name)]

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of all parameters, in the order of their first use."""
        return tuple(dict.fromkeys(name for node in self.nodes for name in node.parameters))

    def resolve(self, name: str, *, or_parameter: bool = False) -> str:
        """The one name of a tensor, given that name, an alias, or what another program calls it.

        Args:
            name: TransformerLens' and Hugging Face's names will do (`docs/names.md`), and the end
                of one that no other shares.
            or_parameter: whether parameters are looked for as well.

        Raises:
            PellucidError: no tensor has that name, and near names are offered; or it is another
                program's name of something that is laid out otherwise here.
        """
        own = self.aliases.get(name, name)
        if not self.has(own, or_parameter):
            known = [*self.facts, *self.aliases, *(self.parameters if or_parameter else ())]
            found = translate(name, self) or complete(name, known)
            own = self.aliases.get(found, found)
        if not self.has(own, or_parameter):
            raise PellucidError(f"{own} is a parameter, which no run computes.")
        return own

    def find(self, name: object) -> str | None:
        """The same for tensors and parameters, but None where there is none."""
        try:
            return self.resolve(str(name), or_parameter=True)
        except PellucidError:
            return None

    def has(self, name: str, or_parameter: bool) -> bool:
        """Whether a tensor has this name as its own, or a parameter."""
        return name in self.facts or (or_parameter and name in self.parameters)

    def needed_for(
        self, names: frozenset[str], given: frozenset[str] = frozenset()
    ) -> tuple[Node, ...]:
        """The steps that must run for these to be known where others are given, in order."""
        wanted = {self.owners[name].name for name in names - given}
        steps = []
        for node in reversed(self.nodes):
            if node.name in wanted:
                lacking = (name for name in node.inputs if name not in given)
                wanted.update(self.owners[name].name for name in lacking if name in self.owners)
                steps.append(node)
        return tuple(reversed(steps))

    @cached_property
    def reads_lengths(self) -> bool:
        """Whether it plays a part how long a text is."""
        return any("lengths" in node.inputs for node in self.nodes)

    @cached_property
    def reads_step(self) -> bool:
        """Whether it plays a part at which step of a generation it is run."""
        return any("step" in node.inputs for node in self.nodes)

    def same_at(self, before: int, after: int) -> bool:
        """Whether a text that grows from one length to another keeps its keys."""
        return all(each.same(before, after) for each in self.frequencies)

    @cached_property
    def frequencies(self) -> frozenset[Frequencies]:
        """How fast pairs turn, in every way that there is."""
        ops = (node.op.of if isinstance(node.op, Part) else node.op for node in self.nodes)
        return frozenset(op.frequencies for op in ops if isinstance(op, Rotate))

    def __repr__(self) -> str:
        ends = [node.name for node in (*self.nodes[:1], *self.nodes[-1:])]
        return f"<Graph: {len(self.nodes)} steps{', ' if ends else ''}{' to '.join(ends)}>"

    def _repr_html_(self) -> str:
        return to_html(self)

    def flops(self, positions: int) -> int:
        """Floating-point operations of a forward pass over one text, up to its probabilities."""
        sizes = {**self.sizes, "position": positions, "query": positions, "key": positions}
        dims = {**GRAPH_INPUTS, **{name: fact.dims for name, fact in self.facts.items()}}
        return sum(
            node.op.flops([dims[name] for name in node.inputs], sizes)
            for node in self.needed_for(frozenset({"probs"}))
        )
