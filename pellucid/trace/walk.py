"""Walks from a number back along the residual stream, to the components that it is the sum of.

With the scale of every norm held as it was in the run, each step between them is linear. So the
walk carries a direction: a component adds the dot product of the direction that reaches it with its
own vector.
Source: Elhage et al., "A Mathematical Framework for Transformer Circuits" (2021).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from pellucid.decoder.graph import Graph, Node
from pellucid.decoder.names import edited
from pellucid.decoder.titles import local_name
from pellucid.errors import PellucidError
from pellucid.ops.change import Change
from pellucid.ops.embedding import Embedding
from pellucid.ops.heads import MergeHeads
from pellucid.ops.layer_norm import LayerNorm
from pellucid.ops.linear import Linear
from pellucid.ops.mean_over import MeanOver
from pellucid.ops.norm import Norm
from pellucid.ops.operation import Array
from pellucid.ops.part import Part
from pellucid.ops.position import Sinusoidal
from pellucid.ops.residual import Add
from pellucid.ops.scale import Scale
from pellucid.ops.term import Index
from pellucid.trace.cell import Place, find_cell, find_place, name_cell
from pellucid.trace.paths import Path, Paths, by_size
from pellucid.trace.tensor import TracedTensor

if TYPE_CHECKING:
    from pellucid.trace.trace import Trace

ALONG_THE_STREAM = Embedding | Sinusoidal | Add | Norm | Scale | Linear | MergeHeads
"""Steps whose output is a sum over components, once the scales of norms are held."""
WORDS = {
    "embed.tokens": "token embedding",
    "embed.positions": "position embedding",
    "mlp.out": "feed-forward",
}
"""How components read that are tensors; any other by its name."""


def find_paths(
    trace: Trace,
    name: str,
    places: Mapping[str, Place],
    *,
    top: int | None = 10,
    minus: Place | None = None,
) -> Paths:
    """The components of a cell; see `Trace.paths`."""
    if top is not None and top < 0:
        raise PellucidError(f"top={top}: give how many components to show, 0 or more.")
    node = stream_node(trace, name)
    tensor = trace[node.name]
    cells = [find_cell(tensor, places)]
    if minus is not None:
        cells.append(other_cell(tensor, cells[0], minus))
    position = cells[0][0]
    columns = [column for _, column in cells]
    signs = np.array([1.0, -1.0][: len(cells)])
    walk = Walk(trace, position)
    walk.back(node, columns, signs)
    (cell, where), *subtracted = (
        (dict(zip(tensor.dims, index, strict=True)), name_cell(tensor, index)) for index in cells
    )
    other, other_where = subtracted[0] if subtracted else (None, "")
    return Paths(
        name=tensor.name,
        title=tensor.title,
        cell=cell,
        where=where,
        minus=other,
        minus_where=other_where,
        value=dot(tensor.values[position, columns].astype(np.float64), signs),
        components=by_size(walk.found),
        norms=tuple(walk.norms),
        limit=top,
        dtype=tensor.values.dtype.name,
    )


def other_cell(tensor: TracedTensor, cell: Index, minus: Place) -> Index:
    """The cell at another place along the last dim."""
    dim, size = tensor.dims[-1], tensor.shape[-1]
    column = find_place(tensor, dim, size, {dim: minus})
    if column == cell[-1]:
        raise PellucidError(f"minus={minus!r} is the cell itself: give another {dim}.")
    return (*cell[:-1], column)


class Walk:
    """Carries a direction from one position of a tensor back to the components of its stream."""

    def __init__(self, trace: Trace, position: int) -> None:
        self.trace = trace
        self.position = position
        self.directions: dict[str, Array] = {}
        self.found: list[Path] = []
        self.norms: list[str] = []

    def back(self, target: Node, columns: list[int], signs: Array) -> None:
        """Find the components of the sum of `signs` times these columns of a step's output."""
        if isinstance(target.op, Linear):
            # A vocabulary is wide: only the columns that were asked for are read.
            self.linear(target, target.op, signs, columns)
        else:
            direction = np.zeros(self.trace[target.name].shape[-1])
            direction[columns] = signs
            self.directions[target.name] = direction
        for node in reversed(self.trace.graph.nodes):
            if node.name in self.directions:
                self.step(node, self.directions.pop(node.name))

    def step(self, node: Node, direction: Array) -> None:
        """Through one step: to its inputs, and to what it adds itself."""
        match node.op:
            case Add():
                for name in node.inputs:
                    self.arrive(name, direction)
            case Norm():
                self.norm(node, node.op, direction)
            case Scale():
                self.arrive(node.inputs[0], direction * node.op.factor)
            case Linear():
                self.linear(node, node.op, direction)
            case MergeHeads():
                self.heads(node, node.op, direction)
            case Change() | MeanOver():
                self.edit(node, node.op, direction)
            case Part():
                self.part(node, node.op, direction)
            case _:
                self.add(node.name, dot(direction, self.vector(node.name)))

    def norm(self, node: Node, op: Norm, direction: Array) -> None:
        """Centring and gain are linear; the scale is the run's; the shift is a component."""
        gamma, *shifts = node.parameters
        centred = isinstance(op, LayerNorm)
        kept = f"{node.stem}.{'rstd' if centred else 'rrms'}"
        scale = float(self.trace[kept].values[self.position])
        scaled = direction * op.gain([self.parameter(gamma)]) * scale
        self.arrive(node.inputs[0], scaled - scaled.mean() if centred else scaled)
        self.norms.append(node.name)
        for beta in shifts:
            self.add(beta, dot(direction, self.parameter(beta)))

    def part(self, node: Node, op: Part, direction: Array) -> None:
        """A part of a norm, the scale held here too, and its mean for what it was."""
        rows = [self.vector(name)[None, None] for name in (*node.inputs, node.name)]
        parameters = [self.parameter(name) for name in node.parameters]
        grad = np.reshape(direction, rows[-1].shape)
        to_inputs, _ = op.backward(grad, rows[:-1], parameters, rows[-1], ())
        for name, read, to_input in zip(node.inputs, op.reads, to_inputs, strict=True):
            if read not in ("rstd", "rrms") and to_input is not None:
                self.arrive(name, to_input[0, 0])
        self.norms += [node.name] if op.makes == "" else []
        for beta in node.parameters[1:]:
            self.add(beta, dot(direction, self.parameter(beta)))

    def edit(self, node: Node, op: Change | MeanOver, direction: Array) -> None:
        """Through what an edit leaves of a tensor; what it puts in is a component."""
        tensor, *given = (self.trace.explainer.tensor(name) for name in node.inputs)
        x = tensor.values.astype(np.float64)
        grad = np.zeros((1, *x.shape))
        grad[0, self.position] = direction
        inputs = [x[None], *(each.values[None] for each in given)]
        to_inputs, _ = op.backward(grad, inputs, (), None, ())
        assert to_inputs[0] is not None
        carried = to_inputs[0][0, self.position]
        self.arrive(node.inputs[0], carried)
        if op.joins_positions or (isinstance(op, Change) and op.shift is not None):
            put_in = dot(direction, self.vector(node.name)) - dot(carried, x[self.position])
            block = block_of(node.name)
            where = "" if block is None else f"blocks.{block} "
            self.found.append(Path(f"{where}edit: {op.words}", node.name, block, None, put_in))

    def linear(
        self, node: Node, op: Linear, direction: Array, columns: list[int] | slice = slice(None)
    ) -> None:
        """Through the weights where the stream or heads come in; else the output is a component."""
        weight, *biases = node.parameters
        shifts = {bias: dot(direction, self.parameter(bias)[columns]) for bias in biases}
        graph = self.trace.graph
        if is_along_the_stream(graph, graph.owners[node.inputs[0]]):
            w = self.parameter(weight)
            # In the weights' own precision: to copy a large matrix takes longer than the product.
            carried = (w.T if op.transposed else w)[:, columns] @ direction.astype(w.dtype)
            self.arrive(node.inputs[0], carried)
        else:
            out = dot(direction, self.vector(node.name)[columns])
            self.add(node.name, out - sum(shifts.values()))
        for bias, shift in shifts.items():
            self.add(bias, shift)

    def heads(self, node: Node, op: MergeHeads, direction: Array) -> None:
        """Each head has a piece of the direction to itself."""
        z = self.trace[node.inputs[0]].values[:, self.position].astype(np.float64)
        pieces = direction.reshape(op.n_head, -1)
        for head in range(op.n_head):
            self.add(node.inputs[0], dot(pieces[head], z[head]), head)

    def arrive(self, name: str, direction: Array) -> None:
        """Where two steps read a tensor, it counts for both."""
        self.directions[name] = self.directions.get(name, 0.0) + direction

    def add(self, name: str, contribution: float, head: int | None = None) -> None:
        block = block_of(name)
        label = label_of(name, block, head)
        self.found.append(Path(label, name, block, head, contribution))

    def vector(self, name: str) -> Array:
        """A tensor's vector at the position, in float64."""
        return np.asarray(self.trace[name].values[self.position], dtype=np.float64)

    def parameter(self, name: str) -> Array:
        return self.trace.parameters[name].values


def stream_node(trace: Trace, name: str) -> Node:
    """The step that makes a tensor along the stream.

    Raises:
        PellucidError: no tensor has that name, or it is no sum over components; those that are
            one are named.
    """
    graph = trace.graph
    own = trace.resolve(name)
    node = graph.owners.get(own)
    if node is None or node.name != own or not is_along_the_stream(graph, node):
        raise PellucidError(
            f"{own} is no sum of what stands along the residual stream. "
            f"Ask for one of {', '.join(streams(graph))}."
        )
    return node


def streams(graph: Graph) -> tuple[str, ...]:
    """The tensors that have paths; those of every block once, as `blocks.i.norm1`."""
    nodes = [node.name for node in graph.nodes if is_along_the_stream(graph, node)]
    inside = {name: f"blocks.i.{local_name(name)}" for name in nodes if block_of(name) is not None}
    return tuple(dict.fromkeys(inside.get(name, name) for name in nodes))


def is_along_the_stream(graph: Graph, node: Node) -> bool:
    """Whether a step's output is a sum over components, for each position."""
    match node.op:
        case Change() | MeanOver():
            return is_along_the_stream(graph, graph.owners[node.inputs[0]])
        case Part(of=Norm(), makes=""):
            return node.dims[0] == "position"
    return isinstance(node.op, ALONG_THE_STREAM) and node.dims[0] == "position"


def block_of(name: str) -> int | None:
    """The block that a tensor or parameter belongs to."""
    return int(name.split(".")[1]) if name.startswith("blocks.") else None


def label_of(name: str, block: int | None, head: int | None) -> str:
    """How a component reads; a bias or a shift by its own name."""
    word = WORDS.get(local_name(edited(name))) if head is None else f"head {head}"
    if word is None:
        return name
    return word if block is None else f"blocks.{block} {word}"


def dot(a: Array, b: Array) -> float:
    """The sum of the products; in a direction of 0 a number adds nothing, and be it −∞."""
    with np.errstate(invalid="ignore"):
        return float(np.sum(np.where(a == 0, 0.0, a * b)))
