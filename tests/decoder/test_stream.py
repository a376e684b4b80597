"""The states of the stream are each read where the last one left off."""

from itertools import pairwise

import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.stream import stream
from pellucid.ops.norm import Norm
from pellucid.ops.residual import Add
from tests.small_models import OPTIONS, small_config


@pytest.mark.parametrize("option", OPTIONS)
def test_each_state_is_made_of_the_one_before_and_the_head_reads_the_last(option):
    config = small_config(option)
    graph = build_graph(config)
    states = [graph.resolve(name) for name in stream(config)]
    for before, after in pairwise(states):
        node = graph.owners[after]
        assert node.inputs[0] == before
        assert isinstance(node.op, Add | Norm)
        assert node.dims == ("position", "d_model")
    reads = "final_norm" if config.final_norm else "vocab"
    reader = next(node for node in graph.nodes if reads in (node.name, node.dims[-1]))
    assert reader.inputs == (states[-1],)


@pytest.mark.parametrize("option", OPTIONS)
def test_no_addition_to_the_stream_is_left_out(option):
    config = small_config(option)
    graph = build_graph(config)
    added = [node.name for node in graph.nodes if isinstance(node.op, Add)]
    assert set(added) - {"embed.out"} <= set(stream(config))
