"""The graph is data that hangs together: names, dims, equations, aliases and costs."""

import re

import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.graph import GRAPH_INPUTS, Graph
from pellucid.decoder.titles import (
    EXTRA_TITLES,
    PARAMETER_TITLES,
    TITLES,
    local_name,
    parameter_title,
)
from pellucid.errors import PellucidError
from pellucid.ops.operation import OPERATIONS
from tests.small_models import OPTIONS, SMALL, small_config, small_model

GRAPH = build_graph(SMALL)
NAME_IN_LATEX = re.compile(r"\\mathrm\{([^}]*)\}")


@pytest.fixture(params=OPTIONS)
def graph(request):
    return build_graph(small_config(request.param))


# How it hangs together


def test_names_are_told_apart(graph):
    names = [fact.name for node in graph.nodes for fact in (*node.extras, node.fact)]
    assert len(names) == len(set(names)) == len(graph.facts)
    assert not set(names) & set(graph.aliases)


def test_every_step_reads_what_was_made_before_it(graph):
    made = set(GRAPH_INPUTS)
    for node in graph.nodes:
        assert set(node.inputs) <= made, node.name
        made.add(node.name)


def test_every_step_is_an_operation_of_the_registry(graph):
    for node in graph.nodes:
        assert OPERATIONS[node.op.kind] is type(node.op)


def test_dims_are_those_of_the_operations(graph):
    dims = {**GRAPH_INPUTS, **{name: fact.dims for name, fact in graph.facts.items()}}
    for node in graph.nodes:
        inputs = [dims[name] for name in node.inputs]
        assert node.dims == node.op.dims(*inputs)
        assert tuple(fact.dims for fact in node.extras) == node.op.extra_dims(*inputs)
        assert len(node.parameters) == len(node.op.parameter_dims(*inputs))
    assert {dim for fact in graph.facts.values() for dim in fact.dims} <= set(graph.sizes)


def test_what_is_added_up_has_the_same_dims(graph):
    for node in graph.nodes:
        if node.op.kind == "add":
            assert {graph.facts[name].dims for name in node.inputs} == {node.dims}


# What it says


def test_every_tensor_has_a_title(graph):
    for fact in graph.facts.values():
        assert fact.title.strip()
        assert fact.title[0].isupper()


def test_every_title_belongs_to_a_tensor():
    graphs = [build_graph(small_config(option), dropout=0.1) for option in OPTIONS]
    facts = [fact for graph in graphs for fact in graph.facts]
    local = {local_name(name) for name in facts}
    assert set(TITLES) == {name for name in local if name in TITLES}
    assert {name.rpartition(".")[2] for name in local if name not in TITLES} == set(EXTRA_TITLES)


def test_every_parameter_has_a_title_and_every_title_a_parameter():
    specs = {name for option in OPTIONS for name in small_model(option).specs}
    assert {local_name(name) for name in specs} == set(PARAMETER_TITLES)
    assert len({parameter_title(name) for name in small_model("as it is").specs}) > 20


def test_an_equation_begins_with_its_tensor(graph):
    for node in graph.nodes:
        left, _, right = node.equation.partition(" = ")
        assert node.name == left or node.name.endswith(f".{left}")
        assert right


def test_an_equation_names_what_is_read_and_nothing_else(graph):
    known = {*GRAPH_INPUTS, *graph.facts, *(p for node in graph.nodes for p in node.parameters)}
    ends = {name.split(".", i)[i] for name in known for i in range(name.count(".") + 1)}
    functions = {"gelu_tanh", "gelu_quick", "relu_squared"}
    for node in graph.nodes:
        words = set(re.findall(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*", node.equation))
        named = {word for word in words if "." in word or "_" in word}
        assert named <= ends | functions, node.equation
        operands = {name for name in (*node.inputs, *node.parameters) if name != "targets"}
        for name in operands:
            assert any(name == word or name.endswith(f".{word}") for word in words), (
                f"{node.equation} does not name {name}"
            )


def test_the_latex_of_an_equation_names_the_same_tensors(graph):
    for node in graph.nodes:
        left, *named = (name.replace("\\_", "_") for name in NAME_IN_LATEX.findall(node.latex))
        assert node.equation.startswith(f"{left} = ")
        operands = {*node.inputs, *node.parameters}
        made_of = {name for word in named for name in operands if ends_in(name, word)}
        # A mean over positions reads the targets to see which ones count.
        assert operands - {"targets"} <= made_of, node.latex
        words = {word for word in named if not any(ends_in(name, word) for name in operands)}
        assert words <= set(node.op.extras), node.latex


def ends_in(name, word):
    return name == word or name.endswith(f".{word}")


def test_it_is_called_by_its_steps():
    assert repr(GRAPH) == f"<Graph: {len(GRAPH.nodes)} steps, embed.tokens to loss>"
    assert repr(Graph(())) == "<Graph: 0 steps>"


# How it is asked


def test_a_tensor_leads_to_the_step_that_makes_it():
    assert GRAPH.node("blocks.0.norm1").name == "blocks.0.norm1"
    assert GRAPH.node("blocks.0.norm1.rstd").name == "blocks.0.norm1"
    assert GRAPH.node("blocks.1.resid_pre").name == "blocks.0.resid_post"


def test_aliases_are_second_names_of_tensors(graph):
    for alias, own in graph.aliases.items():
        assert graph.resolve(alias) == own == graph.resolve(own)
        assert own in graph.facts
    for i in range(2 if "blocks.1.norm1" in graph.facts else 1):
        assert f"blocks.{i}.resid_pre" in graph.aliases


def test_an_unknown_name_is_answered_with_near_ones():
    for ask in (GRAPH.node, GRAPH.resolve):
        with pytest.raises(PellucidError, match=r"Did you mean .*blocks\.0\.norm1") as caught:
            ask("blocks.0.nrom1")
        assert '"blocks.0.nrom1"' in str(caught.value)


def test_only_what_is_needed():
    assert [node.name for node in GRAPH.needed_for(frozenset({"embed.positions"}))] == [
        "embed.positions"
    ]
    assert GRAPH.needed_for(frozenset({"loss", "probs"})) == GRAPH.nodes
    needed = {node.name for node in GRAPH.needed_for(frozenset({"blocks.0.attn.scores"}))}
    assert "blocks.0.attn.v" not in needed
    assert "blocks.0.attn.k" in needed


# What it costs


def test_operations_of_the_products_counted_by_hand():
    config = small_config("no bias at all").replace(n_layer=1)
    t, c, m, v = 5, config.n_embd, config.d_mlp, config.vocab_size
    nodes = {local_name(node.name): node for node in build_graph(config).nodes}
    graph = build_graph(config)
    lengths = {**graph.sizes, "position": t, "query": t, "key": t}

    def flops(name):
        node = nodes[name]
        return node.op.flops([graph.facts[given].dims for given in node.inputs], lengths)

    # A product of [t, i] and [i, o] multiplies and adds i numbers for each of t · o outputs.
    assert flops("attn.q_flat") == 2 * t * c * c
    assert flops("mlp.pre") == flops("mlp.out") == 2 * t * c * m
    assert flops("logits") == 2 * t * c * v
    # All heads together: q · kᵀ and one scaling; pattern · v.
    assert flops("attn.scores") == 2 * t * t * c + config.n_head * t * t
    assert flops("attn.z") == 2 * t * t * c
    assert flops("resid_mid") == t * c


def test_the_costs_of_a_graph_are_those_of_its_steps(graph):
    longest = graph.sizes["position"]
    dims = {**GRAPH_INPUTS, **{name: fact.dims for name, fact in graph.facts.items()}}
    by_step = [
        node.op.flops([dims[name] for name in node.inputs], graph.sizes)
        for node in graph.nodes
        if not node.name.startswith("loss")
    ]
    assert min(by_step) >= 0
    assert graph.flops(longest) == sum(by_step)
    assert graph.flops(1) < graph.flops(2) < graph.flops(longest)
