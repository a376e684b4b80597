"""Edits put into a model: what they change, what they leave, and what is refused before a run."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.trace.budget import sizes_of
from pellucid.trace.editing import Editing
from tests.small_models import WORDS, small_model

PROMPT = "ash bud elm oak"


@pytest.fixture(scope="module")
def model():
    return small_model(tokenizer=WORDS)


ARCHITECTURES = (
    "as it is",
    "post norm, grouped, no attention output",
    "attention only",
    "like gemma 2",
    "like cohere",
    "like bloom",
    "like olmo 2",
    "yarn",
)


def same(one, other):
    """Whether all that a run without edits computes is the same in both to the last bit."""
    names = [name for name in one.names if name in other.names and ".edited_" not in name]
    return all(one.values[n].tobytes() == other.values[n].tobytes() for n in names)


def dependents(graph, name):
    """The tensors that depend on one, itself among them."""
    found = {name}
    for node in graph.nodes:
        if node.name == name or found.intersection(node.inputs):
            found |= {node.name, *(() if node.name == name else (f.name for f in node.extras))}
    return found


@pytest.mark.parametrize("option", ARCHITECTURES)
def test_an_edit_changes_nothing_that_does_not_depend_on_it(option):
    model = small_model(option, tokenizer=WORDS)
    plain = model.trace(PROMPT, target="next")
    sizes = sizes_of(model.graph, len(plain.ids))
    rng = np.random.default_rng(0)
    for node in model.graph.nodes:
        numbers = rng.standard_normal([sizes[dim] for dim in node.dims])
        edited = model.trace(PROMPT, target="next", edits=[pellucid.add(node.name, numbers)])
        after = dependents(model.graph, node.name)
        for name in plain.names:
            if name not in after:
                assert edited.values[name].tobytes() == plain.values[name].tobytes(), name
        before = edited.values[f"{node.name}.unedited"]
        assert before.tobytes() == plain.values[node.name].tobytes()
        shut = before == -np.inf
        np.testing.assert_array_equal(
            edited.values[node.name], np.where(shut, before, before + numbers)
        )


def last_alone(node):
    """The mean of the last place along the last dim, which is what it is."""
    place: Any = {node.dims[-1]: -1}
    return pellucid.mean_over(node.name, node.dims[-1], **place)


CHANGING_NOTHING = {
    "scale": lambda plain, node: pellucid.scale(node.name, 1),
    "add": lambda plain, node: pellucid.add(node.name, 0),
    "copy": lambda plain, node: pellucid.copy_from(node.name, plain),
    "mean": lambda plain, node: last_alone(node),
}


@pytest.mark.parametrize("option", ["as it is", "like gemma 2", "like bloom"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_edit_that_changes_nothing_is_the_same_to_the_last_bit(option, dtype):
    model = small_model(option, dtype=dtype, tokenizer=WORDS)
    plain = model.trace(PROMPT, target="next")
    for kind, make in CHANGING_NOTHING.items():
        edits = [make(plain, node) for node in model.graph.nodes if node.dims]
        assert same(plain, model.trace(PROMPT, target="next", edits=edits)), kind
    edits = [pellucid.scale(name, 1) for name in (*model.parameters, "loss")]
    assert same(plain, model.trace(PROMPT, target="next", edits=edits))


def test_no_edit_at_all_is_the_model_itself(model):
    trace = model.trace(PROMPT, edits=[])
    assert trace.graph is model.graph
    assert trace.edits == ()


@pytest.mark.parametrize("option", ARCHITECTURES)
def test_to_set_and_restore_is_the_same_to_the_last_bit(option):
    model = small_model(option, tokenizer=WORDS)
    plain = model.trace(PROMPT)
    names = [node.name for node in model.graph.needed_for(frozenset({"probs"}))]
    everywhere = [
        edit for name in names for edit in (pellucid.zero(name), pellucid.copy_from(name, plain))
    ]
    assert same(plain, model.trace(PROMPT, edits=everywhere))


def test_order_matters_where_one_edit_undoes_another(model):
    double, more = pellucid.scale("blocks.0.mlp.post", 2), pellucid.add("blocks.0.mlp.post", 1)
    plain = model.trace(PROMPT).values["blocks.0.mlp.post"]
    first, then = (
        model.trace(PROMPT, edits=edits).values["blocks.0.mlp.post"]
        for edits in ([double, more], [more, double])
    )
    np.testing.assert_array_equal(first, plain * 2 + 1)
    np.testing.assert_array_equal(then, (plain + 1) * 2)


def test_order_does_not_matter_where_edits_do_not_meet(model):
    edits = [
        pellucid.zero("blocks.0.attn.pattern", head=0),
        pellucid.scale("blocks.0.attn.pattern", 3, head=1),
        pellucid.add("blocks.1.mlp.out", 1, position="elm"),
        pellucid.zero("blocks.1.mlp.b_in"),
    ]
    assert same(model.trace(PROMPT, edits=edits), model.trace(PROMPT, edits=edits[::-1]))


def test_each_edit_leaves_what_was_before_it(model):
    name = "blocks.0.attn.out"
    edits = [pellucid.scale(name, 2), pellucid.add(name, 1), pellucid.zero(name, position=0)]
    trace = model.trace(PROMPT, edits=edits)
    plain = model.trace(PROMPT).values[name]
    stages = [f"{name}.unedited", f"{name}.edited_1", f"{name}.edited_2", name]
    assert [n for n in trace.names if n.startswith(name)] == stages
    expected = [
        plain,
        plain * 2,
        plain * 2 + 1,
        np.where(np.arange(5)[:, None] == 0, 0, plain * 2 + 1),
    ]
    for stage, values in zip(stages, expected, strict=True):
        np.testing.assert_array_equal(trace.values[stage], values)
    assert trace.edits == tuple(edits)


def test_cells_are_found_by_index_label_several_and_span(model):
    name = "blocks.0.attn.pattern"
    plain = model.trace(PROMPT).values[name]
    cases: list[tuple[dict[str, Any], Any]] = [
        ({"head": 1}, np.s_[1]),
        ({"head": -1, "query": "elm"}, np.s_[3, 3]),
        ({"head": [0, 2], "key": ["ash", "bud"]}, np.ix_([0, 2], range(5), [1, 2])),
        ({"query": slice(1, None), "key": slice(0, 2)}, np.s_[:, 1:, :2]),
        ({"query": np.array([4])}, np.s_[:, 4]),
    ]
    for places, index in cases:
        edited = model.trace(PROMPT, edits=[pellucid.set_to(name, 0.25, **places)]).values[name]
        expected = plain.copy()
        expected[index] = 0.25
        np.testing.assert_array_equal(edited, expected)


def test_a_value_has_the_shape_of_its_cells(model):
    rng = np.random.default_rng(0)
    plain = model.trace(PROMPT).values["blocks.0.attn.z"]
    cases: list[tuple[tuple[int, ...], dict[str, Any], Any]] = [
        ((4, 5, 2), {}, np.s_[:]),
        ((2,), {}, np.s_[:]),
        ((5, 1), {}, np.s_[:]),
        ((4, 2), {"position": 2}, np.s_[:, 2]),
        ((4, 1, 2), {"position": 2}, np.s_[:, 2:3]),
        ((2, 5, 2), {"head": [3, 1]}, np.s_[[3, 1]]),
        ((2,), {"head": 0, "position": "oak"}, np.s_[0, 4]),
    ]
    for shape, places, index in cases:
        value, expected = rng.standard_normal(shape), plain.copy()
        expected[index] = value
        edit = pellucid.set_to("blocks.0.attn.z", value, **places)
        edited = model.trace(PROMPT, edits=[edit]).values["blocks.0.attn.z"]
        np.testing.assert_array_equal(edited, expected)


def test_a_mean_is_that_of_the_chosen_cells(model):
    plain = model.trace(PROMPT).values["blocks.1.mlp.post"]
    whole = model.trace(PROMPT, edits=[pellucid.mean_over("blocks.1.mlp.post", "position")])
    np.testing.assert_allclose(
        whole.values["blocks.1.mlp.post"],
        np.broadcast_to(plain.mean(axis=0), plain.shape),
        atol=1e-15,
    )
    part = pellucid.mean_over("blocks.1.mlp.post", "position", position=[1, 3], d_mlp=4)
    expected = plain.copy()
    expected[[1, 3], 4] = plain[[1, 3], 4].mean()
    edited = model.trace(PROMPT, edits=[part]).values["blocks.1.mlp.post"]
    np.testing.assert_allclose(edited, expected, atol=1e-15)


def test_values_of_another_run_are_put_in_by_label_or_index(model):
    other = model.trace("oak elm moss fir")
    edit = pellucid.copy_from("blocks.0.resid_mid", other, position="elm")
    trace = model.trace(PROMPT, edits=[edit])
    expected = trace.values["blocks.0.resid_mid.unedited"].copy()
    expected[3] = other.values["blocks.0.resid_mid"][2]
    np.testing.assert_array_equal(trace.values["blocks.0.resid_mid"], expected)


def test_attention_that_is_masked_gives_nothing_and_rows_still_sum_to_one(model):
    edit = pellucid.mask_attention(query="oak", key=["ash", "bud"], layer=1)
    trace = model.trace(PROMPT, edits=[edit])
    plain = model.trace(PROMPT)
    pattern = trace.values["blocks.1.attn.pattern"]
    assert (pattern[:, 4, 1:3] == 0).all()
    np.testing.assert_allclose(pattern.sum(axis=-1), 1, atol=1e-14)
    assert (trace.values["blocks.1.attn.masked_scores"][:, 4, 1:3] == -np.inf).all()
    np.testing.assert_array_equal(pattern[:, :4], plain.values["blocks.1.attn.pattern"][:, :4])
    np.testing.assert_array_equal(
        trace.values["blocks.0.attn.pattern"], plain.values["blocks.0.attn.pattern"]
    )


def test_what_is_shut_out_stays_so_when_it_is_scaled_or_added_to(model):
    name = "blocks.0.attn.masked_scores"
    for edit in (pellucid.scale(name, -2), pellucid.scale(name, 0.5), pellucid.add(name, 3)):
        trace = model.trace(PROMPT, edits=[edit])
        future = np.triu(np.ones((5, 5), bool), 1)
        assert (trace.values[name][:, future] == -np.inf).all()
        assert np.isfinite(trace.values["logits"]).all()


def test_parameters_are_edited_for_the_run_alone(model):
    before = {name: array.copy() for name, array in model.parameters.items()}
    plain = model.trace(PROMPT)
    trace = model.trace(
        PROMPT,
        edits=[
            pellucid.zero("blocks.0.attn.w_o"),
            pellucid.set_to("token_embedding", 0.5, vocab="elm"),
            pellucid.mean_over("position_embedding", "position", position=slice(0, 2)),
        ],
    )
    assert not trace.parameters["blocks.0.attn.w_o"].values.any()
    assert (trace["token_embedding"].values[WORDS.tokens.index("elm")] == 0.5).all()
    table = trace["position_embedding"].values
    np.testing.assert_allclose(table[0], before["position_embedding"][:2].mean(axis=0))
    np.testing.assert_array_equal(table[0], table[1])
    assert not trace["blocks.0.attn.w_o"].values.flags.writeable
    np.testing.assert_array_equal(
        trace.values["blocks.0.attn.out"],
        np.broadcast_to(before["blocks.0.attn.b_o"], (5, 8)),
    )
    assert (trace.values["embed.tokens"][3] == 0.5).all()
    for name, array in before.items():
        np.testing.assert_array_equal(model.parameters[name], array)
    assert same(plain, model.trace(PROMPT))


def test_a_run_that_fails_leaves_nothing_behind(model):
    plain = model.trace(PROMPT)
    with pytest.raises(PellucidError):
        model.trace(PROMPT, edits=[pellucid.zero("blocks.0.attn.pattern"), pellucid.zero("no")])
    with pytest.raises(PellucidError, match="memory"):
        model.trace(PROMPT, edits=[pellucid.zero("blocks.0.attn.pattern")], memory=1)
    assert same(plain, model.trace(PROMPT))
    assert model.trace(PROMPT).graph is model.graph


def test_an_alias_names_the_same_tensor(model):
    one = model.trace(PROMPT, edits=[pellucid.scale("blocks.1.resid_pre", 2, position="bud")])
    other = model.trace(PROMPT, edits=[pellucid.scale("blocks.0.resid_post", 2, position="bud")])
    assert same(one, other)
    theirs = model.trace(PROMPT, edits=[pellucid.scale("blocks.0.hook_resid_post", 2, position=2)])
    assert same(one, theirs)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (pellucid.zero("blocks.0.attn.patern"), "Did you mean blocks.0.attn.pattern"),
        (pellucid.zero("blocks.0.attn.pattern", heads=0), "no dim 'heads'.*Did you mean head"),
        (pellucid.zero("blocks.0.attn.pattern", head=4), "head=4 is out of range.*0 to 3"),
        (pellucid.zero("blocks.0.attn.pattern", query="fir"), 'no "fir" along query'),
        (pellucid.zero("blocks.0.attn.pattern", head="ash"), "no labels"),
        (pellucid.zero("blocks.0.attn.pattern", head=[1, -3]), "named twice"),
        (pellucid.zero("blocks.0.attn.pattern", head=slice(4, None)), "no place.*has 4"),
        (pellucid.zero("blocks.0.attn.pattern", head=[]), "no place"),
        (pellucid.zero("blocks.0.attn.pattern", head=slice(0, 4, 0)), "head=0:4:0 has a step of 0"),
        (pellucid.set_to("blocks.0.attn.z", [1.0, 2, 3]), r"\[3\] does not fit.*\[4, 5, 2\]"),
        (pellucid.add("blocks.0.attn.z", np.zeros((2, 3, 4, 5))), "does not fit"),
        (pellucid.mean_over("blocks.0.attn.z", "heads"), "mean over.*Did you mean head"),
        (pellucid.mean_over("loss", "head"), "no dims: it is one number"),
        (pellucid.mask_attention(layer=2), "layer=2: this model has layers 0 to 1"),
        (pellucid.mask_attention(layer=[]), "names no layer"),
        (pellucid.mask_attention(query=0), "leave the query <START> no key in head 0"),
        (pellucid.mask_attention(key="<START>"), "leave the query <START> no key"),
        (pellucid.mask_attention(query="elm", key=slice(0, 4), head=2), "elm no key in head 2"),
        (
            pellucid.set_to("blocks.1.attn.scores", -np.inf, query="oak"),
            "query oak no key in head 0 of blocks.1.attn.masked_scores",
        ),
        (pellucid.zero("blocks.0.attn.w_q", d_attn=99), "out of range"),
        (pellucid.zero("blocks.0.attn.w_q", d_attn=99, at_steps=[1]), "out of range"),
        ("zero logits", "'zero logits' is no edit: make one by pellucid.zero"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said_before_the_run(model, edit, words):
    with pytest.raises(PellucidError, match=words):
        model.trace(PROMPT, edits=[edit])


@pytest.mark.parametrize("edits", [pellucid.zero("logits"), "zero logits"])
def test_a_single_edit_goes_into_a_list(model, edits):
    for run in (model.trace, model.generate):
        with pytest.raises(PellucidError, match=r"in a list: give edits=\[zero logits\]"):
            run(PROMPT, edits=edits)


def test_a_label_that_stands_twice_is_said_with_its_places(model):
    with pytest.raises(PellucidError, match=r'"ash" stands at 2 places along position.*: 1, 3'):
        model.trace("ash bud ash", edits=[pellucid.zero("blocks.0.mlp.out", position="ash")])


@pytest.mark.parametrize("edit", [pellucid.add("logits", 1e300), pellucid.scale("logits", -1e300)])
def test_a_value_too_large_for_the_run_is_refused(edit):
    model = small_model(dtype="float32", tokenizer=WORDS)
    with pytest.raises(PellucidError, match=r"1e\+300 is too large for the float32"):
        model.trace(PROMPT, edits=[edit])


def test_a_query_is_looked_for_in_the_window_once_the_text_slides(model):
    blind = pellucid.mask_attention(query=2, key=slice(0, 3), at_steps=[3])
    with pytest.raises(PellucidError, match="leave the query position 2 no key"):
        model.generate(PROMPT, edits=[blind])
    # Of a text that grows, step 1 reads its last token alone.
    unseen = pellucid.mask_attention(query=2, key=slice(0, 3), at_steps=[1])
    assert len(list(model.generate(PROMPT, max_new_tokens=2, edits=[unseen]))) == 2


def test_a_step_far_beyond_the_window_takes_no_memory_of_its_own(model):
    edit = pellucid.mask_attention(query=2, key=0, at_steps=[2**31])
    assert same(model.trace(PROMPT), model.trace(PROMPT, edits=[edit]))


def test_keys_that_another_edit_opens_again_are_enough(model):
    edits = [
        pellucid.mask_attention(query="ash", layer=0),
        pellucid.set_to("blocks.0.attn.masked_scores", 0, query="ash", key="<START>"),
    ]
    pattern = model.trace(PROMPT, edits=edits).values["blocks.0.attn.pattern"]
    assert (pattern[:, 1, 0] == 1).all()


# Within a step


@pytest.mark.parametrize("option", ARCHITECTURES)
def test_an_intermediate_that_is_edited_changes_what_follows_in_its_step(option):
    model = small_model(option, tokenizer=WORDS)
    plain = model.trace(PROMPT, target="next")
    extras = [fact.name for node in model.graph.nodes for fact in node.extras]
    for name in extras:
        edited = model.trace(PROMPT, target="next", edits=[pellucid.scale(name, 1.5)])
        np.testing.assert_array_equal(edited.values[name], 1.5 * plain.values[name])
        step = model.graph.owners[name]
        assert not np.array_equal(edited.values[step.name], plain.values[step.name]), name
        after = dependents(model.graph, step.name) | {step.name}
        own = [fact.name for fact in step.extras]
        before = own[: own.index(name)]
        for other in plain.names:
            if other in before or other not in after | set(own):
                assert edited.values[other].tobytes() == plain.values[other].tobytes(), other


@pytest.mark.parametrize("option", ["as it is", "like gemma 3", "like cohere", "relu", "gelu"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_intermediate_that_is_left_as_it_is_leaves_every_bit(option, dtype):
    model = small_model(option, dtype=dtype, tokenizer=WORDS)
    plain = model.trace(PROMPT, target="next")
    names = [fact.name for node in model.graph.nodes for fact in node.extras]
    edits = [
        edit for name in names for edit in (pellucid.zero(name), pellucid.copy_from(name, plain))
    ]
    assert same(plain, model.trace(PROMPT, target="next", edits=edits))


def test_a_norm_with_another_mean_is_what_its_formula_says(model):
    name = "blocks.0.norm1"
    trace = model.trace(PROMPT, edits=[pellucid.set_to(f"{name}.mean", 0.25, position="elm")])
    x = trace.values["embed.out"][3]
    centred = x - 0.25
    rstd = 1 / np.sqrt(np.mean(centred**2) + model.config.norm_epsilon)
    gain, shift = (model.parameters[f"{name}.{local}"] for local in ("gamma", "beta"))
    np.testing.assert_allclose(trace.values[name][3], centred * rstd * gain + shift, atol=1e-14)
    assert trace.explain(f"{name}.mean", position="elm").formula.startswith("edited here: was ")
    assert trace.check().holds


@pytest.mark.parametrize("option", ["as it is", "like gemma 3", "like cohere", "gelu"])
def test_gradients_and_explanations_go_through_parts_of_steps(option):
    model = small_model(option, tokenizer=WORDS)
    extras = [fact.name for node in model.graph.nodes for fact in node.extras]
    edits = [pellucid.scale(name, 1.25) for name in extras if not name.startswith("probs")]
    trace = model.trace(PROMPT, target="next", edits=edits)
    found = trace.check(cells=3)
    assert found.holds, found
    back = model.using("torch", device="cpu").trace(PROMPT, target="next", edits=edits)
    for name in trace.names:
        np.testing.assert_allclose(back.values[name], trace.values[name], rtol=0, atol=1e-10)
    assert list(back.gradients) == list(trace.gradients)
    for name, gradient in trace.gradients.items():
        np.testing.assert_allclose(back.gradients[name], gradient, rtol=0, atol=1e-9, err_msg=name)


def test_a_later_edit_that_changes_nothing_leaves_an_earlier_one(model):
    zero = pellucid.zero("blocks.0.attn.pattern", head=1)
    once = model.trace(PROMPT, edits=[zero])
    again = model.trace(PROMPT, edits=[zero, pellucid.scale("blocks.0.attn.pattern", 1)])
    np.testing.assert_array_equal(again.values["logits"], once.values["logits"])
    assert not again.values["blocks.0.attn.pattern"][1].any()


def test_an_exception_within_a_run_leaves_nothing_behind(model):
    plain = model.trace(PROMPT)
    before = {name: array.copy() for name, array in model.parameters.items()}
    huge = [pellucid.scale("blocks.0.mlp.w_out", 1e200), pellucid.scale("final_norm", 1e200)]
    with np.errstate(over="raise", invalid="raise"), pytest.raises(FloatingPointError):
        model.trace(PROMPT, edits=huge)
    assert same(plain, model.trace(PROMPT))
    for name, array in before.items():
        np.testing.assert_array_equal(model.parameters[name], array)


# Elsewhere


def test_a_list_of_edits_for_each_text_of_a_batch(model):
    plain = model.trace(PROMPT)
    lists = [
        [],
        [pellucid.zero("blocks.0.attn.pattern", head=0)],
        [pellucid.zero("blocks.0.attn.pattern", head=0), pellucid.add("logits", 1, position="elm")],
        [pellucid.mask_attention(query="oak", key="bud"), pellucid.scale("blocks.0.norm1.mean", 2)],
    ]
    editing = Editing.batch(lists, model.graph, model.labelled_parameters, tokens=plain.tokens)
    run = editing.engine(model.engine).forward(
        {"ids": np.array([plain.ids] * len(lists))}, keep=["logits", "blocks.1.attn.pattern"]
    )
    for row, edits in enumerate(lists):
        alone = model.trace(PROMPT, edits=edits)
        for name in ("logits", "blocks.1.attn.pattern"):
            np.testing.assert_allclose(run[name][row], alone.values[name], rtol=0, atol=1e-12)
    with pytest.raises(PellucidError, match="all texts of a batch share"):
        Editing.batch(
            [[pellucid.zero("head.w")], []],
            model.graph,
            model.labelled_parameters,
            tokens=plain.tokens,
        )


def test_an_edited_trace_is_copied_whole(model):
    edits = [pellucid.scale("blocks.0.norm1.rstd", 2), pellucid.zero("blocks.0.mlp.w_in", d_mlp=1)]
    trace = model.trace(PROMPT, target="next", edits=edits)
    for other in (copy.deepcopy(trace), pickle.loads(pickle.dumps(trace))):
        assert other.edits == trace.edits
        assert same(trace, other)
        assert other.check(cells=2).holds


def test_a_number_is_followed_through_edits_to_the_leaves(model):
    edits = [
        pellucid.scale("blocks.0.attn.pattern", 2, head=1),
        pellucid.add("blocks.0.resid_mid", 1, position="bud"),
        pellucid.zero("blocks.0.norm2.mean"),
    ]
    explained = model.trace("ash bud", edits=edits).explain("blocks.0.mlp.pre[bud, 3]")
    assert explained.from_leaves() == pytest.approx(explained.value, rel=1e-12)


def test_keys_that_are_edited_say_still_which_step_wrote_them(model):
    edit = pellucid.scale("blocks.0.attn.keys", 2, key=0)
    (trace,) = model.generate("ash", max_new_tokens=3, trace=True, edits=[edit]).finish().traces
    assert trace["blocks.0.attn.keys"].written == (0, 0, 1, 2)


def test_names_alone_are_kept_and_what_they_were(model):
    edit = pellucid.zero("blocks.0.attn.pattern", head=0)
    names = ["blocks.0.attn.pattern.unedited", "logits"]
    trace = model.trace(PROMPT, edits=[edit], names=names)
    assert list(trace.names) == names
    whole = model.trace(PROMPT, edits=[edit])
    assert same(trace, whole)
