"""Blocks that are alike are drawn as one; a block that differs in anything is not."""

from dataclasses import replace

import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.graph import Graph
from pellucid.decoder.mlp import ACTIVATIONS
from pellucid.views.diagram import diagram
from pellucid.views.diagram.folding import Run, find_runs
from tests.small_models import OPTIONS, SMALL, small_config


def with_other_activation(graph, block):
    """The same graph with another activation in one block."""
    name = f"blocks.{block}.mlp.post"
    nodes = (replace(n, op=ACTIVATIONS["relu"]()) if n.name == name else n for n in graph.nodes)
    return Graph(tuple(nodes), graph.aliases, graph.sizes)


@pytest.mark.parametrize("layers", [1, 2, 3, 48])
@pytest.mark.parametrize("option", ["as it is", "post norm", "no positions"])
def test_all_layers_of_a_config_are_one_run(layers, option):
    graph = build_graph(small_config(option).replace(n_layer=layers))
    assert find_runs(graph) == (Run(0, layers - 1),)
    assert find_runs(graph, unfold=True) == tuple(Run(i, i) for i in range(layers))


@pytest.mark.parametrize("option", OPTIONS)
def test_dropouts_know_their_place_and_are_alike_nevertheless(option):
    config = small_config(option)
    assert find_runs(build_graph(config, dropout=0.1)) == find_runs(build_graph(config))
    if not (config.window_layers or config.rotary_layers):
        assert len(find_runs(build_graph(config))) == 1


def test_a_block_with_another_operation_stands_alone():
    graph = with_other_activation(build_graph(SMALL.replace(n_layer=5)), 2)
    assert find_runs(graph) == (Run(0, 1), Run(2, 2), Run(3, 4))
    titles = [(frame.title, frame.times) for frame in diagram(graph).structure.frames]
    assert titles == [("blocks.0 … blocks.1", 2), ("blocks.2", 1), ("blocks.3 … blocks.4", 2)]
    joined = {(line.source, line.target) for line in diagram(graph).structure.lines}
    assert ("blocks.0.resid_post", "blocks.2.norm1") in joined
    assert ("blocks.2.resid_post", "blocks.3.norm1") in joined


def test_a_folded_diagram_is_as_large_for_many_layers_as_for_one():
    one, many = (diagram(build_graph(SMALL.replace(n_layer=n))) for n in (1, 48))
    assert len(one.structure.boxes) == len(many.structure.boxes)
    assert one.picture.height == many.picture.height
