"""Graphs to draw: every preset, every option of the config, with dropout, with many layers."""

from functools import cache

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.graph import GRAPH_INPUTS
from pellucid.decoder.presets import PRESETS
from pellucid.views.diagram import diagram
from tests.small_models import OPTIONS, SMALL, small_config

DEPTHS = ("overview", "block", "deep")
GRAPHS = {
    **{f"preset {name}": (config, 0.0) for name, config in PRESETS.items()},
    **{option: (small_config(option), 0.0) for option in OPTIONS},
    "dropout": (SMALL, 0.1),
    "dropout, post norm": (small_config("post norm, grouped, no attention output"), 0.1),
    "thirty layers": (SMALL.replace(n_layer=30), 0.0),
}
CASES = [(name, depth) for name in GRAPHS for depth in DEPTHS]


@cache
def drawn_graph(name, depth, unfold=False):
    """A graph of `GRAPHS` and its diagram."""
    config, dropout = GRAPHS[name]
    graph = build_graph(config, dropout=dropout)
    return graph, diagram(graph, depth=depth, unfold=unfold, title=name)


def shown_nodes(graph, depth):
    """The steps that a diagram of this depth has to show, folded ones among them."""
    return graph.nodes if depth == "deep" else graph.needed_for(frozenset({"probs"}))


def in_first(name, structure):
    """The name of the step that is drawn for this one, in the first block of its frame."""
    if not name.startswith("blocks."):
        return name
    number, rest = name.removeprefix("blocks.").split(".", 1)
    for frame in structure.frames:
        first = int(frame.title.removeprefix("blocks.").split(" ")[0])
        if first <= int(number) < first + frame.times:
            return f"blocks.{first}.{rest}"
    raise AssertionError(f"{name} is in no frame")


def edges(graph, depth):
    """Every (maker, reader) among the steps shown."""
    return [
        (graph.owners[given].name, node.name)
        for node in shown_nodes(graph, depth)
        for given in node.inputs
        if given not in GRAPH_INPUTS
    ]
