"""What a diagram shows: every step in one box, every edge a line, whatever the config says."""

import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.graph import GRAPH_INPUTS
from pellucid.decoder.parameters import parameter_specs
from pellucid.decoder.presets import PRESETS
from pellucid.errors import PellucidError
from pellucid.views.diagram.folding import find_runs
from pellucid.views.diagram.reading import read
from pellucid.views.diagram.structure import shape_words
from tests.small_models import SMALL
from tests.views.diagram.drawn_graphs import (
    CASES,
    GRAPHS,
    drawn_graph,
    edges,
    in_first,
    shown_nodes,
)

EACH = pytest.mark.parametrize(("name", "depth"), CASES)
GRAPH = pytest.mark.parametrize("name", GRAPHS)


@EACH
@pytest.mark.parametrize("unfold", [False, True])
def test_every_step_is_in_one_box(name, depth, unfold):
    graph, found = drawn_graph(name, depth, unfold)
    in_boxes = [step for box in found.structure.boxes for step in box.nodes]
    wanted = {in_first(node.name, found.structure) for node in shown_nodes(graph, depth)}
    assert sorted(in_boxes) == sorted(wanted)
    if unfold:
        assert len(in_boxes) == len(shown_nodes(graph, depth))


@EACH
@pytest.mark.parametrize("unfold", [False, True])
def test_every_edge_is_a_line_and_every_line_an_edge(name, depth, unfold):
    graph, found = drawn_graph(name, depth, unfold)
    home = {step: box.name for box in found.structure.boxes for step in box.nodes}
    wanted = set()
    for maker, reader in edges(graph, depth):
        drawn = in_first(reader, found.structure)
        # What a later block of a frame reads, the first reads too: frames hold equal blocks.
        if drawn == reader and home[drawn] != home[in_first(maker, found.structure)]:
            wanted.add((home[in_first(maker, found.structure)], home[drawn]))
    lines = [(line.source, line.target) for line in found.structure.lines]
    assert sorted(lines) == sorted(wanted)


@EACH
def test_what_a_run_is_given_stands_where_it_is_read(name, depth):
    graph, found = drawn_graph(name, depth)
    for box in found.structure.boxes:
        given = {each for step in box.nodes for each in graph.node(step).inputs}
        assert set(box.inputs) == given & GRAPH_INPUTS.keys()


@EACH
def test_a_box_has_the_name_title_and_dims_of_its_tensor(name, depth):
    graph, found = drawn_graph(name, depth)
    for box in found.structure.boxes:
        fact = graph.facts[box.name]
        assert box.name in box.nodes
        assert tuple(each.dim for each in box.shape) == fact.dims
        assert box.name.endswith(box.label)
        if depth != "overview":
            assert fact.title.startswith(box.title)
            assert fact.title.endswith(box.note)


@GRAPH
def test_the_deepest_diagram_has_every_parameter_where_it_is_read(name):
    graph, found = drawn_graph(name, "deep")
    specs = parameter_specs(graph)
    for box in found.structure.boxes:
        (step,) = box.nodes
        assert [each.name for each in box.parameters] == list(graph.node(step).parameters)
        for each in box.parameters:
            shape = tuple(length.size for length in each.shape)
            assert shape == specs[each.name].shape


def test_a_parameter_that_two_steps_read_is_marked():
    for tied in (True, False):
        found = read(build_graph(SMALL.replace(tied_head=tied)), depth="deep")
        shared = {each.name for box in found.boxes for each in box.parameters if each.shared}
        assert shared == ({"token_embedding"} if tied else set())


@GRAPH
def test_in_a_block_its_equations_read_what_comes_in_by_one_name(name):
    graph, found = drawn_graph(name, "deep", unfold=True)
    said: dict[str, list[tuple[str, ...]]] = {}
    for box in found.structure.boxes:
        if box.name.startswith("blocks."):
            said.setdefault(box.name.split(".")[1], []).append(box.equations)
    if len(find_runs(graph)) == 1:
        assert all(equations == said["0"] for equations in said.values())
    assert any("resid_pre" in equation for (equation,) in said["0"])


def test_shapes_are_those_of_the_model():
    found = read(build_graph(PRESETS["gpt2"]), depth="block").by_name
    said = {name: shape_words(box.shape).replace("\u00a0", " ") for name, box in found.items()}
    assert said["blocks.0.attn.q"] == "head 12 × position × d_head 64"
    assert said["blocks.0.mlp.pre"] == "position × d_mlp 3,072"
    assert said["probs"] == "position × vocab 50,257"


def test_with_a_prompt_shapes_have_its_length():
    found = read(build_graph(PRESETS["baby-groot"]), tokens=["i", "am", "groot"]).by_name
    said = shape_words(found["blocks.0.attn.pattern"].shape).replace("\u00a0", " ")
    assert said == "head 1 × query 3 × key 3"


def test_tokens_are_made_visible():
    assert read(build_graph(SMALL), tokens=[" a", "\n", "\u202e"]).tokens == ("␣a", "↵", "U+202E")


def test_a_block_folds_its_changes_of_layout_into_steps_of_mathematics():
    found = read(build_graph(SMALL), depth="block").by_name
    assert found["blocks.0.attn.k"].nodes == tuple(
        f"blocks.0.attn.{step}" for step in ("k_flat", "k", "keys")
    )
    assert found["blocks.0.attn.out"].nodes == ("blocks.0.attn.z_flat", "blocks.0.attn.out")


def test_an_overview_says_what_is_inside_a_part():
    found = read(build_graph(SMALL.replace(n_kv_head=2)), depth="overview").by_name
    inside = {each.dim: each.size for each in found["blocks.0.attn.out"].inside}
    assert inside == {"head": 4, "kv_head": 2, "d_head": 2}


def test_an_unknown_depth_is_refused():
    with pytest.raises(PellucidError, match=r'no depth "blocks"[.] Did you mean block'):
        read(build_graph(SMALL), depth="blocks")


def test_a_prompt_longer_than_the_context_is_refused():
    with pytest.raises(PellucidError, match="prompt has 7 tokens, and this model reads at most 6"):
        read(build_graph(SMALL), tokens=["a"] * 7)
