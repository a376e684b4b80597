"""A trace hands out what a run left, by name, and never changes."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from pellucid.errors import PellucidError
from tests.small_models import OPTIONS, WORDS, random_ids, small_model

TEXT = "moss oak ash"
TOKENS = ("<START>", "moss", "oak", "ash")


@pytest.fixture(scope="module")
def model():
    return small_model(tokenizer=WORDS)


@pytest.fixture(scope="module")
def trace(model):
    return model.trace(TEXT)


@pytest.fixture(scope="module")
def back(model):
    return model.trace(TEXT, target="next")


# Names


def test_a_trace_knows_its_text(trace, model):
    assert trace.tokens == TOKENS
    assert list(trace.ids) == WORDS.prompt(TEXT)
    assert trace.targets is None
    assert trace.config == model.config
    assert trace.graph is model.graph


@pytest.mark.parametrize("option", OPTIONS)
def test_every_tensor_of_the_graph_is_there_in_order(option):
    model = small_model(option)
    ids = random_ids(model.config, batch=1)[0]
    facts = tuple(model.graph.facts)
    assert model.trace(ids=ids, target="next").names == facts
    assert model.trace(ids=ids).names == tuple(n for n in facts if not n.startswith("loss"))


def test_a_trace_is_a_collection_of_its_names(trace):
    assert list(trace) == list(trace.names)
    assert len(trace) == len(trace.names)
    assert "logits" in trace
    assert "blocks.0.resid_pre" in trace
    assert "token_embedding" in trace
    assert "loss" not in trace
    assert "no such thing" not in trace


def test_a_tensor_knows_what_it_is(trace):
    pattern = trace["blocks.1.attn.pattern"]
    fact = trace.graph.facts["blocks.1.attn.pattern"]
    assert (pattern.name, pattern.dims) == (fact.name, ("head", "query", "key"))
    assert (pattern.title, pattern.equation) == (fact.title, fact.equation)
    assert pattern.shape == pattern.values.shape == (4, 4, 4)


@pytest.mark.parametrize("option", OPTIONS)
def test_shapes_are_exactly_the_dims(option):
    model = small_model(option, tokenizer=WORDS)
    sizes = {**model.graph.sizes, "position": 4, "query": 4, "key": 4}
    back = model.trace(TEXT, target="next")
    for name in back.names:
        assert back[name].values.shape == tuple(sizes[dim] for dim in back[name].dims), name
    for name in back.grad:
        of = back[name]
        gradient = back.grad[name]
        assert (gradient.dims, gradient.shape) == (of.dims, of.shape), name


def test_dims_that_tokens_stand_along_are_labelled(trace):
    assert trace["blocks.0.attn.scores"].labels == {"query": TOKENS, "key": TOKENS}
    assert trace["blocks.0.attn.q"].labels == {"position": TOKENS}
    assert trace["logits"].labels == {"position": TOKENS, "vocab": WORDS.tokens}
    assert trace["token_embedding"].labels == {"vocab": WORDS.tokens}


def test_ids_are_the_labels_where_there_is_no_tokenizer():
    trace = small_model().trace(ids=[3, 10, 3])
    assert trace.tokens == ("3", "10", "3")
    assert trace["logits"].labels == {"position": ("3", "10", "3")}


def test_an_alias_is_the_tensor_it_stands_for(trace):
    assert trace["blocks.0.resid_pre"].name == "embed.out"
    assert trace["blocks.1.resid_pre"].values is trace["blocks.0.resid_post"].values
    post = small_model("post norm").trace(ids=[1, 2])
    assert post["blocks.1.resid_pre"].name == "blocks.0.norm2"
    bare = small_model("no positions").trace(ids=[1, 2])
    assert bare["embed.out"].name == bare["blocks.0.resid_pre"].name == "embed.tokens"
    assert "embed.positions" not in bare


def test_parameters_are_there_by_name(trace, model):
    assert set(trace.parameters) == set(model.parameters)
    weight = trace["blocks.0.attn.w_q"]
    assert weight.values is model.parameters["blocks.0.attn.w_q"]
    assert weight.dims == ("d_model", "d_attn")


@pytest.mark.parametrize(
    ("wrong", "near"),
    [
        ("blocks.0.attn.patern", "blocks.0.attn.pattern"),
        ("Logits", "logits"),
        ("blocks.0.resid_prae", "blocks.0.resid_pre"),
        ("token_embeding", "token_embedding"),
    ],
)
def test_an_unknown_name_is_answered_with_near_ones(back, wrong, near):
    for look_up in (back.__getitem__, back.grad.__getitem__):
        with pytest.raises(PellucidError) as caught:
            look_up(wrong)
        assert f'"{wrong}"' in str(caught.value)
        assert near in str(caught.value).partition("Did you mean")[2]
        assert "\n" not in str(caught.value)


# Part of it


def test_names_keep_a_part(model, trace):
    names = ["blocks.1.attn.pattern", "embed.out"]
    part = model.trace(TEXT, names=names)
    assert part.names == ("embed.out", "blocks.1.attn.pattern")
    for name in names:
        assert part[name].values.tobytes() == trace[name].values.tobytes()


def test_names_may_be_aliases_and_any_iterable(model):
    part = model.trace(TEXT, names=iter(["blocks.1.resid_pre"]))
    assert part.names == ("blocks.0.resid_post",)
    assert "blocks.1.resid_pre" in part


def test_what_was_not_kept_says_how_to_keep_it(model):
    part = model.trace(TEXT, names=["logits"])
    with pytest.raises(PellucidError, match=r'probs was not kept .* names=\["probs"\]'):
        part["probs"]
    assert part["token_embedding"].shape == (11, 8)


def test_an_unknown_name_to_keep_is_answered_with_near_ones(model):
    with pytest.raises(PellucidError, match=r'"logit"\.? Did you mean logits'):
        model.trace(TEXT, names=["logit"])


def test_a_part_with_a_target_has_its_loss_and_gradients(model, back):
    part = model.trace(TEXT, target="next", names=["embed.out"])
    assert part.loss == back.loss
    assert set(part.grad) == {"embed.out", "loss", *model.parameters}
    assert part.grad["embed.out"].values.tobytes() == back.grad["embed.out"].values.tobytes()
    with pytest.raises(PellucidError, match="no gradient of logits: it was not kept"):
        part.grad["logits"]


# Loss and gradients


@pytest.mark.parametrize("option", OPTIONS)
def test_every_parameter_and_every_step_on_the_way_has_a_gradient(option):
    model = small_model(option)
    back = model.trace(ids=[4, 1, 7, 1], target="next")
    steps = {node.name for node in model.graph.nodes} - {"probs"}
    assert set(back.grad) == steps | set(model.parameters)
    assert len(back.grad) == len(list(back.grad))
    alone = model.gradients([[4, 1, 7, 1]], [[1, 7, 1, -1]])
    for name, gradient in alone.items():
        np.testing.assert_allclose(back.grad[name].values, gradient, rtol=0, atol=1e-12)


def test_what_is_off_the_way_has_none(back):
    with pytest.raises(PellucidError, match="probs: it is not on the way to the loss"):
        back.grad["probs"]


def test_intermediates_have_none_of_their_own(back):
    for name in ("blocks.0.attn.pattern.max", "blocks.1.norm1.mean", "loss.per_position.log_sum"):
        step = name.rpartition(".")[0]
        with pytest.raises(PellucidError, match=f"an intermediate of {step}, .* Ask for .* {step}"):
            back.grad[name]


def test_one_can_ask_whether_there_is_a_gradient(back):
    for name in ("embed.out", "blocks.0.resid_pre", "head.w"):
        assert name in back.grad
    for name in ("probs", "blocks.0.attn.pattern.max", "no such thing"):
        assert name not in back.grad


def test_an_aliass_gradient_is_the_tensors(back):
    assert back.grad["blocks.0.resid_pre"].values is back.grad["embed.out"].values


def test_gradients_are_labelled_like_what_they_belong_to(back):
    gradient = back.grad["blocks.0.attn.scores"]
    assert gradient.labels == {"query": TOKENS, "key": TOKENS}
    assert gradient.name == "d loss / d blocks.0.attn.scores"
    assert (back.grad["loss"].values == 1).all()


def test_next_is_the_loss_at_every_position_but_the_last(back):
    assert list(back.targets) == [*back.ids[1:], -1]
    per_position = back["loss.per_position"].values
    assert per_position[-1] == 0
    assert back.loss == pytest.approx(per_position[:3].mean(), abs=1e-12)


@pytest.mark.parametrize("target", ["elm", WORDS.tokens.index("elm")])
def test_a_token_is_the_loss_at_the_last_position(model, target):
    back = model.trace(TEXT, target=target)
    elm = WORDS.tokens.index("elm")
    assert list(back.targets) == [-1, -1, -1, elm]
    assert back.loss == pytest.approx(-np.log(back["probs"].values[-1, elm]), abs=1e-12)
    assert (back.grad["logits"].values[:-1] == 0).all()


def test_special_tokens_can_be_targets(model):
    assert model.trace(TEXT, target="<END>").targets[-1] == WORDS.end_id


def test_without_a_target_there_is_no_loss(trace):
    for ask in (lambda: trace.loss, lambda: trace.grad, lambda: trace["loss"]):
        with pytest.raises(PellucidError, match='trace with a target, such as target="next"'):
            ask()


# It never changes


def test_nothing_in_a_trace_can_be_written_to(back):
    tensors = [
        *(back[name] for name in back.names),
        *back.grad.values(),
        *back.parameters.values(),
    ]
    for tensor in tensors:
        with pytest.raises(ValueError, match="read-only"):
            tensor.values[...] = 0
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            tensor.values[...].flags.writeable = True
        with pytest.raises(FrozenInstanceError):
            tensor.values = np.zeros(1)
    with pytest.raises(FrozenInstanceError):
        back.ids = ()
    for mapping in (back, back.grad):
        with pytest.raises(TypeError):
            mapping["logits"] = 0


def test_a_trace_stays_as_it_was_when_the_model_runs_again(model):
    back = model.trace(TEXT, target="next")
    before = {name: back[name].values.copy() for name in back.names}
    gradients = {name: tensor.values.copy() for name, tensor in back.grad.items()}
    model.trace("root elm bud", target="next")
    model.gradients([[1, 5, 6, 7]], [2])
    model.generate_text("fir")
    for name, array in before.items():
        np.testing.assert_array_equal(back[name].values, array)
    for name, array in gradients.items():
        np.testing.assert_array_equal(back.grad[name].values, array)


def test_ids_that_change_after_the_trace_do_not_change_it():
    ids = np.array([1, 2, 3])
    trace = small_model().trace(ids=ids)
    ids[:] = 0
    assert trace.ids == (1, 2, 3)


def test_the_same_text_leaves_the_same_bytes(model, back):
    again = model.trace(TEXT, target="next")
    for name in back.names:
        assert again[name].values.tobytes() == back[name].values.tobytes()
    for name in back.grad:
        assert again.grad[name].values.tobytes() == back.grad[name].values.tobytes()


# It shows itself


def test_a_tensor_prints_as_a_table_with_its_labels(trace):
    shown = repr(trace["blocks.0.attn.pattern"])
    assert "blocks.0.attn.pattern" in shown
    for token in TOKENS:
        assert token in shown
    assert "\x1b" not in shown


def test_a_trace_and_its_gradients_print(back):
    assert "moss" in repr(back)
    assert "token_embedding" in repr(back.grad)
    assert "d loss / d embed.out" in repr(back.grad["embed.out"])
