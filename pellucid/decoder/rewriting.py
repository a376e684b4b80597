"""Graphs with a step put in: what reads a tensor reads what that step makes of it instead."""

from __future__ import annotations

from dataclasses import replace

from pellucid.decoder.graph import GRAPH_INPUTS, Fact, Graph, Node
from pellucid.decoder.names import UNEDITED, scope_of, shorten
from pellucid.ops.operation import Operation
from pellucid.ops.part import Part


def take_apart(graph: Graph, node: Node) -> Graph:
    """A graph in which a step is one for each of its extras, and one for its output.

    Their names stay, so that another step can be put behind an extra.
    """
    dims = {**GRAPH_INPUTS, **{name: fact.dims for name, fact in graph.facts.items()}}
    of_inputs = tuple(dims[name] for name in node.inputs)
    names = {extra: fact.name for extra, fact in zip(node.op.extras, node.extras, strict=True)}
    names |= {f"input {i}": name for i, name in enumerate(node.inputs)}
    facts = dict(zip(node.op.extras, node.extras, strict=True))
    facts[""] = node.fact
    parts = [
        Node(facts[makes], Part(node.op, makes, of_inputs), tuple(names[read] for read in reads))
        for makes, reads in node.op.inside.items()
    ]
    parts[-1] = replace(parts[-1], parameters=node.parameters)
    at = graph.nodes.index(node)
    return replace(graph, nodes=(*graph.nodes[:at], *parts, *graph.nodes[at + 1 :]))


def put_behind(graph: Graph, name: str, op: Operation, *others: str) -> Graph:
    """A graph in which a tensor is what `op` makes of it, for all that read it.

    What it was before stays to be seen as `NAME.unedited`; before a second such step, it is
    `NAME.edited_1`, and so on.

    Args:
        graph: to be changed; it stays as it is.
        name: of an output, or of an extra, whose step is then taken apart.
        op: reads the tensor, and then `others`.
    """
    if graph.owners[name].name != name:
        graph = take_apart(graph, graph.owners[name])
    maker = graph.owners[name]
    before = f"{name}.{earlier(graph, name)}"
    was = Fact(
        before,
        maker.dims,
        f"Before the edit: {maker.title[0].lower()}{maker.title[1:]}",
        renamed(maker.equation, name, before),
    )
    scope = scope_of(name)
    short = shorten(name, scope)
    equation = op.equation([shorten(before, scope)], (), graph.sizes)
    fact = replace(maker.fact, equation=f"{short} = {equation}", latex="")
    step = Node(fact, op, (before, *others))
    nodes = [
        put_in
        for node in graph.nodes
        for put_in in ((replace(node, fact=was), step) if node is maker else (node,))
    ]
    return replace(graph, nodes=tuple(nodes))


def earlier(graph: Graph, name: str) -> str:
    """The word for what a tensor was before the next step that is put in behind it."""
    if f"{name}.{UNEDITED}" not in graph.facts:
        return UNEDITED
    number = 1
    while f"{name}.edited_{number}" in graph.facts:
        number += 1
    return f"edited_{number}"


def renamed(equation: str, name: str, before: str) -> str:
    """An equation of a tensor under another name."""
    scope = scope_of(name)
    _, equals, right = equation.partition(" = ")
    return f"{shorten(before, scope)}{equals}{right}" if equals else equation
