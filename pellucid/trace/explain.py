"""Follows a number through the graph: to what it was made of, or to what its gradient came from.

The numbers of a run form a graph, not a tree: one logit of a toy would unfold into billions of
nodes. So each cell is explained once, and only when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from pellucid.decoder.graph import GRAPH_INPUTS, Node
from pellucid.decoder.names import scope_of, shorten
from pellucid.errors import PellucidError
from pellucid.ops.evidence import Evidence, Seen, escape
from pellucid.ops.figures import figure, sum_of_products
from pellucid.ops.term import Array, Derivation, Index, Operands, Slope, Summand
from pellucid.trace.cell import Place, find_cell, name_cell
from pellucid.trace.explanation import Explanation
from pellucid.trace.tensor import TracedTensor

if TYPE_CHECKING:
    from pellucid.trace.trace import Trace

INPUT_TITLES = {
    "ids": "Token id",
    "positions": "Position, counted from 0",
    "targets": "Token that should come next; −1 where none is given",
}

ARRIVING = "arriving gradient"
"""The role of a gradient in the chain rule; its cells are those of a tensor, not its values."""


class Explainer:
    """Explains the cells of one trace, each once."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.known: dict[tuple[str, str, Index], Explanation] = {}
        dtypes = [parameter.values.dtype for parameter in trace.parameters.values()]
        self.unit = float(np.finfo(dtypes[0]).eps) / 2

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
            explainer=self,
        )

    def derive(self, name: str, index: Index) -> Derivation:
        """How a cell was made: by its step, or by nothing that runs."""
        trace = self.trace
        if name in trace.parameters or name in GRAPH_INPUTS:
            tensor = self.tensor(name)
            word = "a parameter" if name in trace.parameters else INPUT_TITLES[name].lower()
            return leaf(float(tensor.values[index]), f"{self.seen(name, '').say(*index)}, {word}")
        node = trace.graph.owners[name]
        extra = None if name == node.name else name.rpartition(".")[2]
        return node.op.explain(self.evidence(node), index, extra)

    def derive_gradient(self, name: str, index: Index) -> Derivation:
        """The chain rule at a cell: for each reader, its slope times the gradient that arrived."""
        if name == "loss":
            return leaf(1.0, "1, by definition")
        arriving: list[Operands] = []
        slopes: list[Slope] = []
        for node, operand in self.readers(name):
            slope = node.op.slope(self.evidence(node), operand, index)
            values = np.atleast_1d(self.trace.gradients[node.name][slope.index])
            arriving.append(Operands(ARRIVING, node.name, slope.index, values))
            slopes.append(slope)
        return chain_rule(name, arriving, slopes)

    def readers(self, name: str) -> Iterator[tuple[Node, str]]:
        """The steps on the way to the loss that read a tensor or parameter, and as what."""
        for node in self.trace.graph.nodes:
            if node.name in self.trace.gradients:
                for i, given in enumerate(node.inputs):
                    if given == name:
                        yield node, f"input {i}"
                for i, given in enumerate(node.parameters):
                    if given == name:
                        yield node, f"parameter {i}"

    def below(self, explanation: Explanation) -> Iterator[Explanation]:
        """The explanations of an explanation's operands, each cell once."""
        met = set()
        for group in explanation.derivation.operands:
            follow = self.gradient if group.role == ARRIVING else self.value
            for name, index in group.cells:
                if (follow, name, index) not in met:
                    met.add((follow, name, index))
                    yield follow(name, index)

    def place(self, name: str, index: Index) -> tuple[dict[str, int], str]:
        """A cell as a mapping of dims, and how it reads."""
        tensor = self.tensor(name)
        return dict(zip(tensor.dims, index, strict=True)), name_cell(tensor, index)

    def evidence(self, node: Node) -> Evidence:
        scope = scope_of(node.name)
        return Evidence(
            lambda name: self.seen(name, scope), node.name, node.inputs, node.parameters
        )

    def seen(self, name: str, scope: str) -> Seen:
        tensor = self.tensor(name)
        short = shorten(tensor.name, scope)
        return Seen(tensor.name, short, tensor.values, tensor.dims, tensor.labels)

    def tensor(self, name: str) -> TracedTensor:
        """A tensor or parameter of the trace, or what the run was given."""
        if name not in GRAPH_INPUTS:
            return self.trace[name]
        return TracedTensor(
            name=name,
            values=self.given(name),
            dims=GRAPH_INPUTS[name],
            labels={"position": self.trace.tokens},
            title=INPUT_TITLES[name],
            equation="",
        )

    def given(self, name: str) -> Array:
        trace = self.trace
        if name == "ids":
            return np.array(trace.ids)
        if name == "positions":
            return np.arange(len(trace.ids))
        if trace.targets is None:
            raise PellucidError("This trace has no targets: trace with a target.")
        return np.array(trace.targets)


def leaf(value: float, words: str) -> Derivation:
    """A number that nothing made: where a run, or a gradient, starts."""
    return Derivation(
        operands=(),
        formula=words,
        latex=rf"\text{{{words}}}",
        substituted=figure(value),
        rule=lambda: value,
        rounding=0.0,
    )


def chain_rule(name: str, arriving: list[Operands], slopes: list[Slope]) -> Derivation:
    """The sum over readers of the gradient that arrived times the slope."""
    operands: list[Operands] = []
    summands, size = [], 0.0
    for gradient, slope in zip(arriving, slopes, strict=True):
        summands.append(Summand((len(operands), len(operands) + 1), slope.scale))
        operands += [gradient, slope.via]
        sizes = np.abs(slope.values) if slope.sizes is None else slope.sizes
        size += abs(slope.scale) * float(np.sum(np.abs(gradient.values) * sizes))
    words = [
        f"∂loss/∂{gradient.name} · {f'({s.formula})' if ' ' in s.formula else s.formula}"
        for gradient, s in zip(arriving, slopes, strict=True)
    ]
    tex = [
        rf"\frac{{\partial L}}{{\partial\,\mathrm{{{escape(g.name)}}}}}"
        rf" \cdot \left({s.latex}\right)"
        for g, s in zip(arriving, slopes, strict=True)
    ]
    sums = [
        sum_of_products([gradient.values, s.values * s.scale])
        for gradient, s in zip(arriving, slopes, strict=True)
    ]
    return Derivation(
        operands=tuple(operands),
        formula=" + ".join(words) or f"0: nothing on the way to the loss reads {name}",
        latex=" + ".join(tex) or "0",
        substituted=" + ".join(sums) or "0",
        summands=tuple(summands),
        rounding=size,
    )
