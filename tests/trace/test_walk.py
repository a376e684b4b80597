"""A number along the residual stream is the sum of its components, each carried there by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pellucid
from pellucid.decoder.builder import GraphBuilder
from pellucid.decoder.parameters import parameter_specs
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.errors import PellucidError
from pellucid.model.folder import load
from pellucid.ops.embedding import Embedding
from pellucid.ops.residual import Add
from pellucid.trace.parameters import Parameters
from pellucid.trace.record import record
from pellucid.trace.walk import streams
from tests.small_models import OPTIONS, PLAIN, WORDS, random_ids, small_model
from tests.trace.carried import carried_forward

TEXT = "moss oak ash"
TOLERANCE = {"float32": 1e-4, "float64": 1e-10}


@pytest.fixture(scope="module")
def trace():
    return small_model(tokenizer=WORDS).trace(TEXT)


@pytest.fixture(scope="module", params=PLAIN)
def any_trace(request):
    model = small_model(request.param)
    return model.trace(ids=random_ids(model.config, batch=1)[0])


def stream_names(trace):
    """Every tensor that has paths, those of each block by their own names."""
    layers = range(trace.config.n_layer)
    return [
        name.replace("blocks.i.", f"blocks.{i}.")
        for name in streams(trace.graph)
        for i in (layers if name.startswith("blocks.i.") else [0])
    ]


# What each component adds


def test_each_component_is_its_own_vector_carried_through_norms_of_fixed_scale(any_trace):
    width = any_trace.config.n_embd
    for position in (0, len(any_trace.ids) - 1):
        for name, vectors in carried_forward(any_trace, position).items():
            for column in (0, width - 1):
                paths = any_trace.paths(
                    name, position=position, **{last_dim(any_trace, name): column}
                )
                found = {(p.name, p.head): p.contribution for p in paths.components}
                expected = {component: vector[column] for component, vector in vectors.items()}
                assert found.keys() == expected.keys(), name
                for component, value in expected.items():
                    assert found[component] == pytest.approx(value, rel=1e-10, abs=1e-12), name


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("option", OPTIONS)
def test_components_sum_to_the_stored_value_in_every_tensor_of_the_stream(option, dtype):
    model = small_model(option, dtype=dtype)
    trace = model.trace(ids=random_ids(model.config, batch=1)[0])
    for name in stream_names(trace):
        tensor = trace[name]
        for position in range(tensor.shape[0]):
            for column in (0, tensor.shape[1] // 2, -1):
                cell = {"position": position, tensor.dims[1]: column}
                assert_sums_to(trace.paths(name, **cell), tensor.values[position, column], dtype)


@pytest.mark.parametrize("position", [0, 1, 2, 3])
@given(vocab=st.integers(0, 23), minus=st.integers(0, 23))
def test_components_sum_to_a_trained_models_logits_and_to_their_differences(position, vocab, minus):
    trace = load("baby-groot").trace("i am groot")
    row = trace["logits"].values[position].astype(np.float64)
    paths = trace.paths("logits", position=position, vocab=vocab)
    assert_sums_to(paths, row[vocab], "float32")
    if minus != vocab:
        paths = trace.paths("logits", position=position, vocab=vocab, minus=minus)
        assert_sums_to(paths, row[vocab] - row[minus], "float32")


def assert_sums_to(paths, value, dtype):
    largest = max(abs(path.contribution) for path in paths.components)
    assert paths.value == value
    assert abs(paths.total - float(value)) <= TOLERANCE[dtype] * largest, paths.name
    assert paths.error == paths.total - paths.value


@pytest.mark.parametrize("option", ["as it is", "post norm", "tied head"])
def test_a_difference_is_split_component_by_component(option):
    trace = small_model(option, tokenizer=WORDS).trace(TEXT)
    one, other, both = (
        {p.component: p.contribution for p in trace.paths("logits", position=1, **cell).components}
        for cell in ({"vocab": "oak"}, {"vocab": "fir"}, {"vocab": "oak", "minus": "fir"})
    )
    assert both.keys() == one.keys()
    for component, contribution in both.items():
        assert contribution == pytest.approx(one[component] - other[component], abs=1e-12)


def test_a_difference_may_be_asked_for_along_the_stream_too(trace):
    paths = trace.paths("final_norm", position=1, d_model=2, minus=-1)
    row = trace["final_norm"].values[1]
    assert_sums_to(paths, row[2] - row[-1], "float64")
    assert (dict(paths.cell), dict(paths.minus)) == (
        {"position": 1, "d_model": 2},
        {"position": 1, "d_model": 7},
    )


# Which there are


def test_a_pre_norm_logit_has_every_component_once(trace):
    paths = trace.paths("logits", position=-1, vocab="oak")
    assert {path.component for path in paths.components} == {
        "token embedding",
        "position embedding",
        *(f"blocks.{i} head {head}" for i in range(2) for head in range(4)),
        *(f"blocks.{i}.attn.b_o" for i in range(2)),
        *(f"blocks.{i} feed-forward" for i in range(2)),
        *(f"blocks.{i}.mlp.b_out" for i in range(2)),
        "final_norm.beta",
        "head.b",
    }
    assert len(paths.components) == 18
    assert paths.norms == ("final_norm",)


def test_a_post_norm_logit_has_the_shift_of_every_norm():
    trace = small_model("post norm").trace(ids=[1, 2])
    paths = trace.paths("logits", position=0, vocab=0)
    norms = [f"blocks.{i}.norm{n}" for i in range(2) for n in (1, 2)] + ["final_norm"]
    assert paths.norms == tuple(reversed(norms))
    components = [path.component for path in paths.components]
    assert len(components) == len(set(components)) == 22
    assert {f"{norm}.beta" for norm in norms} <= set(components)


def test_a_component_knows_its_block_its_head_and_whose_numbers_it_is(trace):
    by_name = {p.component: p for p in trace.paths("logits", position=0, vocab=0).components}
    head, feed, bias = (
        by_name[name] for name in ("blocks.1 head 3", "blocks.0 feed-forward", "head.b")
    )
    assert (head.name, head.block, head.head) == ("blocks.1.attn.z", 1, 3)
    assert (feed.name, feed.block, feed.head) == ("blocks.0.mlp.out", 0, None)
    assert (bias.name, bias.block, bias.head) == ("head.b", None, None)


def test_only_what_came_before_a_tensor_adds_to_it(trace):
    paths = trace.paths("blocks.0.resid_mid", position=1, d_model=0)
    assert {path.block for path in paths.components} == {None, 0}
    assert "blocks.0 feed-forward" not in {path.component for path in paths.components}
    assert paths.norms == ()


def test_a_neuron_is_a_sum_along_the_stream_too(trace):
    paths = trace.paths("blocks.1.mlp.pre", position=2, d_mlp=5)
    assert paths.norms == ("blocks.1.norm2",)
    assert "blocks.1.mlp.b_in" in {path.component for path in paths.components}
    assert_sums_to(paths, trace["blocks.1.mlp.pre"].values[2, 5], "float64")


def test_an_alias_is_asked_for_as_the_tensor_it_is(trace):
    cell = {"position": 1, "d_model": 3}
    assert trace.paths("blocks.1.resid_pre", **cell) == trace.paths("blocks.0.resid_post", **cell)
    bare = small_model("no positions").trace(ids=[1, 2])
    (path,) = bare.paths("embed.out", **cell).components
    assert (path.component, path.contribution) == (
        "token embedding",
        bare["embed.out"].values[1, 3],
    )


def test_a_cell_is_named_by_index_or_label(trace):
    named = trace.paths("logits", position="ash", vocab="oak", minus="fir")
    oak, fir = WORDS.tokens.index("oak"), WORDS.tokens.index("fir")
    assert named == trace.paths("logits", position=-1, vocab=oak, minus=fir)
    assert (named.where, named.minus_where) == ("ash, oak", "ash, fir")


def test_a_tensor_that_is_added_twice_counts_twice():
    graph = GraphBuilder({**small_model().graph.sizes, "vocab": 3})
    tokens = graph("embed.tokens", Embedding("token_embedding", rows="vocab"), "ids")
    graph("embed.out", Add(), tokens, tokens)
    table = np.arange(6.0).reshape(3, 2)
    doubled = traced(graph.graph(), {"token_embedding": table}, [2])
    (path,) = doubled.paths("embed.out", position=0, d_model=1).components
    assert path.contribution == doubled["embed.out"].values[0, 1] == 10


def traced(graph, arrays, ids):
    """A run of a graph that no config makes."""
    return record(
        NumpyEngine(graph, arrays),
        config=small_model().config,
        parameters=Parameters(parameter_specs(graph), arrays),
        ids=ids,
        tokens=[str(i) for i in ids],
        vocabulary=None,
    )


def test_what_is_no_number_comes_first():
    model = small_model("no final norm")
    parameters = dict(model.parameters)
    parameters["blocks.1.mlp.b_out"] = np.full(8, np.nan)
    broken = type(model)(model.config, parameters).trace(ids=[1, 2])
    first, second, third, *_ = broken.paths("logits", position=0, vocab=0).components
    assert {first.name, second.name} == {"blocks.1.mlp.out", "blocks.1.mlp.b_out"}
    assert np.isnan(first.contribution)
    assert not np.isnan(third.contribution)


# What is needed, and what is refused


def test_a_part_of_a_trace_is_enough_where_it_holds_the_components():
    model = small_model()
    names = ["embed.tokens", "embed.positions", "final_norm.rstd", "logits"]
    names += [f"blocks.{i}.{name}" for i in range(2) for name in ("attn.z", "mlp.out")]
    whole, part = model.trace(ids=[1, 2]), model.trace(ids=[1, 2], names=names)
    cell = {"position": 1, "vocab": 3}
    assert part.paths("logits", **cell) == whole.paths("logits", **cell)
    less = model.trace(ids=[1, 2], names=names[:-1])
    with pytest.raises(PellucidError, match=r'blocks.1.mlp.out was not kept .* names=\["'):
        less.paths("logits", **cell)


@pytest.mark.parametrize(
    "name",
    [
        "blocks.0.attn.pattern",
        "blocks.0.mlp.post",
        "blocks.0.attn.z",
        "blocks.0.norm1.mean",
        "blocks.0.norm1.normalized",
        "probs",
        "head.b",
    ],
)
def test_a_tensor_off_the_stream_is_refused_with_those_that_stand_on_it(trace, name):
    with pytest.raises(PellucidError) as caught:
        trace.paths(name, position=0, d_model=0)
    said = str(caught.value)
    assert said.startswith(f"{name} is no sum of what stands along the residual stream.")
    assert "\n" not in said
    offered = said.partition("one of ")[2].rstrip(".").split(", ")
    assert {"embed.out", "blocks.i.resid_mid", "blocks.i.norm1", "final_norm", "logits"} <= set(
        offered
    )
    for each in offered:
        assert trace.paths(each.replace(".i.", ".1."), **zeros(trace, each.replace(".i.", ".1.")))


@pytest.mark.parametrize(
    ("name", "cell", "said"),
    [
        ("logit", {"position": 0, "vocab": 0}, "Did you mean logits"),
        ("logits", {"position": 0}, "Which vocab of logits"),
        ("logits", {"position": 0, "vocab": 11}, "out of range"),
        (
            "logits",
            {"position": 0, "vocab": "ok"},
            'no "ok" along vocab of logits. Did you mean oak',
        ),
        ("logits", {"position": 0, "vocab": 0, "head": 1}, "has no dim 'head'"),
        ("logits", {"position": 0, "vocab": 0, "minus": 11}, "vocab=11 is out of range"),
        ("logits", {"position": 0, "vocab": 0, "minus": "elk"}, 'no "elk" along vocab of logits'),
        (
            "logits",
            {"position": 0, "vocab": "oak", "minus": "oak"},
            "minus='oak' is the cell itself",
        ),
        ("logits", {"position": 0, "vocab": 0, "top": -1}, "top=-1: give how many components"),
        ("final_norm", {"position": 0, "d_model": "oak"}, "d_model of final_norm has no labels"),
    ],
)
def test_bad_input_is_refused_in_one_line(trace, name, cell, said):
    with pytest.raises(PellucidError) as caught:
        trace.paths(name, **cell)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def last_dim(trace, name):
    return trace[name].dims[-1]


def zeros(trace, name):
    return dict.fromkeys(trace[name].dims, 0)


# Through edits


EDITS = [
    pellucid.scale("blocks.0.attn.z_flat", 2, position="elm", d_attn=[0, 3]),
    pellucid.add("blocks.0.resid_mid", 0.3, position=-1),
    pellucid.zero("blocks.0.mlp.post", position=-1, d_mlp=2),
    pellucid.scale("blocks.0.mlp.out", 0.5),
    pellucid.mean_over("blocks.1.mlp.out", "position", d_model=slice(0, 5)),
    pellucid.mean_over("blocks.1.attn.out", "d_model"),
    pellucid.set_to("final_norm.mean", 0.2),
    pellucid.scale("final_norm.rstd", 1.5),
    pellucid.add("final_norm.normalized", 0.1, d_model=1),
    pellucid.zero("embed.tokens", d_model=3),
    pellucid.scale("logits", 3),
    pellucid.zero("blocks.0.attn.z", head=1),
]


def test_what_edits_put_in_is_a_component_and_the_sum_still_holds():
    model = small_model(tokenizer=WORDS)
    for edits in (EDITS, *([edit] for edit in EDITS)):
        trace = model.trace("ash bud elm", edits=edits)
        for position in (1, 3):
            found = trace.paths("logits", position=position, vocab="oak", minus="fir")
            assert abs(found.error) <= found.tolerance, edits


def test_an_edit_is_named_among_the_components():
    model = small_model("like llama 3", tokenizer=WORDS)
    edit = pellucid.add("blocks.0.resid_mid", 0.3, position=-1)
    found = model.trace("ash bud elm", edits=[edit]).paths("logits", position=-1, vocab="oak")
    (named,) = [path for path in found.components if "edit" in path.component]
    assert named.component == "blocks.0 edit: add 0.3"
    assert abs(found.error) <= found.tolerance
    plain = model.trace("ash bud elm").paths("logits", position=-1, vocab="oak")
    assert {path.component for path in plain.components} < {p.component for p in found.components}


def test_a_logit_that_an_edit_shuts_out_adds_nothing_to_another():
    model = small_model(tokenizer=WORDS)
    cell = {"position": -1, "vocab": "elm"}
    plain = model.trace("ash bud").paths("logits", **cell)
    edits = [pellucid.set_to("logits", -np.inf, vocab="fir")]
    found = model.trace("ash bud", edits=edits).paths("logits", **cell)
    assert found.total == pytest.approx(plain.total)
    assert {path.contribution for path in found.components if path.name == "logits"} == {0.0}
