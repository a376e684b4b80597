"""Follows a number through the graph: to what it was made of, or to what its gradient came from.

The numbers of a run form a graph, not a tree: one logit of a toy would unfold into billions of
nodes. So each cell is explained once, and only when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pellucid.decoder.graph import GRAPH_INPUTS, Node
from pellucid.decoder.names import scope_of, shorten
from pellucid.ops.evidence import Evidence, Seen, as_text
from pellucid.ops.figures import figure
from pellucid.ops.term import Derivation, Index
from pellucid.trace.cell import Place, find_cell, name_cell
from pellucid.trace.chain import Link, at_the_loss, chain_rule
from pellucid.trace.explanation import Explanation, Key
from pellucid.trace.tensor import TracedTensor
from pellucid.trace.terms import kind_of

if TYPE_CHECKING:
    from pellucid.trace.trace import Trace

INPUT_TITLES = {
    "ids": "Token id",
    "positions": "Position, counted from 0",
    "targets": "Token that should come next; −1 where none is given",
    "lengths": "How many positions the text has",
    "step": "Step of the generation that read the position, counted from 0",
}


class Explainer:
    """Explains the cells of one trace, each once."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.known: dict[Key, Explanation] = {}
        self.worked_out: dict[Key, float] = {}
        self.tensors: dict[str, TracedTensor] = {}
        dtypes = [parameter.values.dtype for parameter in trace.parameters.values()]
        self.unit = float(np.finfo(dtypes[0]).eps) / 2
        self.smallest = float(np.finfo(dtypes[0]).tiny)

    def explain(self, name: str, places: Mapping[str, Place]) -> Explanation:
        """How a cell of a tensor, parameter or input was made; see `Trace.explain`."""
        tensor = self.tensor(name)
        return self.value(tensor.name, find_cell(tensor, places))

    def explain_grad(self, name: str, places: Mapping[str, Place]) -> Explanation:
        """Where the gradient of a cell came from; see `Trace.explain_grad`."""
        trace = self.trace
        own = name if name in trace.parameters else trace.resolve(name)
        like = trace.grad[own]
        shape = TracedTensor(own, like.values, like.dims, like.labels, like.title, like.equation)
        return self.gradient(own, find_cell(shape, places))

    def follow(self, kind: str, name: str, index: Index) -> Explanation:
        """The explanation of a cell's "value" or "gradient"."""
        return (self.gradient if kind == "gradient" else self.value)(name, index)

    def value(self, name: str, index: Index) -> Explanation:
        key = ("value", name, index)
        if key not in self.known:
            tensor = self.tensor(name)
            self.known[key] = self.explanation(
                "value", tensor, index, float(tensor.values[index]), self.derive(name, index)
            )
        return self.known[key]

    def gradient(self, name: str, index: Index) -> Explanation:
        key = ("gradient", name, index)
        if key not in self.known:
            tensor, values = self.tensor(name), self.trace.gradients[name]
            self.known[key] = self.explanation(
                "gradient", tensor, index, float(values[index]), self.derive_gradient(name, index)
            )
        return self.known[key]

    def explanation(
        self, kind: str, tensor: TracedTensor, index: Index, value: float, derivation: Derivation
    ) -> Explanation:
        cell, where = self.place(tensor.name, index)
        title = tensor.title if kind == "value" else f"Gradient of the loss by {tensor.name}"
        return Explanation(
            kind=kind,
            name=tensor.name,
            index=index,
            cell=cell,
            where=where,
            title=title,
            value=value,
            derivation=derivation,
            unit=self.unit,
            smallest=self.smallest,
            explainer=self,
        )

    def is_given(self, kind: str, name: str) -> bool:
        """Whether a tensor's values are where a run starts: parameters, and what it was given."""
        return kind == "value" and (name in self.trace.parameters or name in INPUT_TITLES)

    def derive(self, name: str, index: Index) -> Derivation:
        """How a cell was made: by its step, or by nothing that runs."""
        if self.is_given("value", name):
            word = INPUT_TITLES.get(name, "a parameter")
            return leaf(float(self.tensor(name).values[index]), word[0].lower() + word[1:])
        node = self.trace.graph.owners[name]
        extra = None if name == node.name else name.rpartition(".")[2]
        return node.op.explain(self.evidence(node), index, extra)

    def derive_gradient(self, name: str, index: Index) -> Derivation:
        """The chain rule at a cell: for each reader, its slope times the gradient that arrived."""
        if name == "loss":
            return at_the_loss()
        links = []
        for node, operand in self.readers.get(name, ()):
            slope = node.op.slope(self.evidence(node), operand, index)
            if not len(slope.via):
                # The row of a token that stands nowhere in this text.
                continue
            output = self.seen(node.name, scope_of(name))
            links.append(Link.of(replace(output, values=self.trace.grad[node.name].values), slope))
        return chain_rule(links)

    @cached_property
    def readers(self) -> Mapping[str, Sequence[tuple[Node, str]]]:
        """The steps on the way to the loss that read each tensor and parameter, and as what."""
        found: dict[str, list[tuple[Node, str]]] = {}
        for node in self.trace.graph.needed_for(frozenset({"loss"})):
            for what, names in (("input", node.inputs), ("parameter", node.parameters)):
                for i, name in enumerate(names):
                    found.setdefault(name, []).append((node, f"{what} {i}"))
        return found

    def below(self, explanation: Explanation, largest: int | None) -> Iterator[Explanation]:
        """The explanations of an explanation's operands, each cell once; see there."""
        groups = explanation.derivation.operands
        if largest is None:
            cells = ((group, cell) for group in groups for cell in group.cells)
        else:
            chosen = explanation.weightiest(largest)
            cells = ((groups[g], cell) for g, i in chosen for cell in groups[g].cells_of(i))
        met: set[Key] = set()
        for group, (name, index) in cells:
            key = (kind_of(group.role), name, index)
            if key not in met:
                met.add(key)
                yield self.follow(*key)

    def place(self, name: str, index: Index) -> tuple[dict[str, int], str]:
        """A cell as a mapping of dims, and how it reads."""
        tensor = self.tensor(name)
        return dict(zip(tensor.dims, index, strict=True)), name_cell(tensor, index)

    def evidence(self, node: Node) -> Evidence:
        scope = scope_of(node.name)
        return Evidence(
            lambda name: self.seen(name, scope), node.name, node.inputs, node.parameters, node.stem
        )

    def seen(self, name: str, scope: str) -> Seen:
        tensor = self.tensor(name)
        short = shorten(tensor.name, scope)
        return Seen(tensor.name, short, tensor.values, tensor.dims, tensor.labels)

    def tensor(self, name: str) -> TracedTensor:
        """A tensor or parameter of the trace, or what the run was given."""
        if name not in self.tensors:
            self.tensors[name] = self.given(name) if name in INPUT_TITLES else self.trace[name]
        return self.tensors[name]

    def given(self, name: str) -> TracedTensor:
        """What the run was given: whole numbers."""
        trace = self.trace
        if name == "targets":
            trace.need_target()
        numbers = {
            "ids": trace.ids,
            "positions": range(len(trace.ids)),
            "targets": trace.targets,
            "lengths": len(trace.ids),
            "step": trace.written or [0] * len(trace.ids),
        }
        return TracedTensor(
            name=name,
            values=np.array(numbers[name]),
            dims=GRAPH_INPUTS[name],
            labels={"position": trace.tokens},
            title=INPUT_TITLES[name],
            equation="",
        )


def leaf(value: float, words: str) -> Derivation:
    """A number that nothing made: where a run, or a gradient, starts."""
    return Derivation(
        operands=(),
        formula=words,
        latex=as_text(words),
        substituted=figure(value),
        rule=lambda: value,
        rounding=0.0,
    )
