"""Writing a graph down, step by step."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.graph import GRAPH_INPUTS, Fact, Graph, Node
from pellucid.decoder.names import shorten
from pellucid.decoder.titles import extra_title, title
from pellucid.ops.evidence import as_name
from pellucid.ops.operation import Dims, Operation, Sizes


class GraphBuilder:
    """Collects steps under a prefix: `g("q", operation, *inputs)` adds one and returns its name."""

    def __init__(
        self,
        sizes: Sizes,
        *,
        dropout: float = 0.0,
        prefix: str = "",
        parent: GraphBuilder | None = None,
    ) -> None:
        self.sizes = sizes
        self.dropout = dropout
        self.prefix = prefix
        self.nodes: list[Node] = [] if parent is None else parent.nodes
        self.dims: dict[str, Dims] = dict(GRAPH_INPUTS) if parent is None else parent.dims
        self.aliases: dict[str, str] = {} if parent is None else parent.aliases

    def scope(self, name: str) -> GraphBuilder:
        """A builder for the same graph whose names begin with this one."""
        return GraphBuilder(
            self.sizes, dropout=self.dropout, prefix=f"{self.prefix}{name}.", parent=self
        )

    def __call__(self, name: str, op: Operation, *inputs: str) -> str:
        full = self.prefix + name
        parameters = tuple(self.prefix + local for local in op.parameters)
        input_dims = [self.dims[given] for given in inputs]
        given = [shorten(operand, self.prefix) for operand in inputs]
        equation = f"{name} = {op.equation(given, op.parameters, self.sizes)}"
        extras = tuple(
            Fact(f"{full}.{extra}", dims, extra_title(full, extra), f"{extra} of {name}")
            for extra, dims in zip(op.extras, op.extra_dims(*input_dims), strict=True)
        )
        fact = Fact(full, op.dims(*input_dims), title(full), equation, self.latex(name, op, given))
        self.dims.update({known.name: known.dims for known in (*extras, fact)})
        self.nodes.append(Node(fact, op, inputs, parameters, extras))
        return full

    def latex(self, name: str, op: Operation, given: Sequence[str]) -> str:
        """A step's equation in LaTeX, of the names as they read within this scope."""
        inputs = [as_name(operand) for operand in given]
        parameters = [as_name(parameter) for parameter in op.parameters]
        return f"{as_name(name)} = {op.latex(inputs, parameters, self.sizes)}"

    def alias(self, name: str, tensor: str) -> str:
        """Give a tensor a second name; returns the tensor's own."""
        self.aliases[self.prefix + name] = tensor
        return tensor

    def graph(self, config: ModelConfig | None = None) -> Graph:
        return Graph(tuple(self.nodes), dict(self.aliases), dict(self.sizes), config)
