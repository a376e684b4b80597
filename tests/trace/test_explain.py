"""Every number of a run, and every gradient, is what its operands make it."""

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pellucid
from pellucid.errors import PellucidError
from pellucid.trace.explanation import SLACK
from tests.small_models import WORDS, small_model
from tests.traces import MODELS, model_of, trace_of

every_model = pytest.mark.parametrize("name", MODELS)
both_precisions = pytest.mark.parametrize("dtype", ["float32", "float64"])


def cells_of_every(shapes):
    """A cell of each of several tensors."""
    places = [st.integers(0, prod(shape) - 1) for shape in shapes]
    return st.tuples(*places).map(
        lambda drawn: [
            tuple(int(i) for i in np.unravel_index(place, shape))
            for place, shape in zip(drawn, shapes, strict=True)
        ]
    )


@every_model
@both_precisions
@given(data=st.data())
@settings(max_examples=4)
def test_every_tensor_is_worked_out_again(name, dtype, data):
    trace = trace_of(name, dtype)
    names = [*trace.names, *trace.parameters, "ids", "positions", "targets"]
    explainer = trace.explainer
    cells = data.draw(cells_of_every([explainer.tensor(n).shape for n in names]))
    for tensor, cell in zip(names, cells, strict=True):
        explanation = explainer.value(tensor, cell)
        assert explanation.value == explainer.tensor(tensor).values[cell]
        assert explanation.error <= explanation.tolerance, (tensor, cell)


@every_model
@both_precisions
@given(data=st.data())
@settings(max_examples=4)
def test_every_gradient_is_worked_out_again(name, dtype, data):
    trace = trace_of(name, dtype)
    names = list(trace.grad)
    cells = data.draw(cells_of_every([trace.gradients[n].shape for n in names]))
    for tensor, cell in zip(names, cells, strict=True):
        explanation = trace.explainer.gradient(tensor, cell)
        assert explanation.value == trace.gradients[tensor][cell]
        assert explanation.error <= explanation.tolerance, (tensor, cell)


@both_precisions
def test_a_sum_may_be_off_by_32_roundings_of_its_terms(dtype):
    trace = trace_of("as it is", dtype)
    unit = {"float32": 2.0**-24, "float64": 2.0**-53}[dtype]
    explanation = trace.explain("blocks.1.mlp.out", position=2, d_model=3)
    x, w = trace["blocks.1.mlp.post"].values[2], trace["blocks.1.mlp.w_out"].values[:, 3]
    terms = np.abs(x.astype(np.float64) * w).sum() + abs(trace["blocks.1.mlp.b_out"].values[3])
    assert explanation.tolerance == pytest.approx(SLACK * unit * terms, rel=1e-12)
    assert SLACK == 32


def test_a_cell_is_explained_once_and_only_when_it_is_asked_for():
    trace = small_model(tokenizer=WORDS).trace("moss oak", target="next")
    explanation = trace.explain("logits", position="oak", vocab="elm")
    assert len(trace.explainer.known) == 1
    assert trace.explain("logits", position=-1, vocab=WORDS.tokens.index("elm")) is explanation
    below = list(explanation.operands())
    assert len(trace.explainer.known) == 1 + len(below)
    assert all(one is two for one, two in zip(below, explanation.operands(), strict=True))


# What leads where


def test_a_head_reads_its_own_part():
    trace = trace_of("four heads")
    explanation = trace.explain("blocks.1.attn.q", head=2, position=1, d_head=3)
    (below,) = explanation.operands()
    assert (below.name, below.cell) == ("blocks.1.attn.q_flat", {"position": 1, "d_attn": 11})


def test_grouped_heads_share_their_keys():
    trace = trace_of("grouped heads")
    q, keys = trace["blocks.0.attn.q"].values, trace["blocks.0.attn.keys"].values
    explanation = trace.explain("blocks.0.attn.scores", head=3, query=2, key=1)
    names = {(term.name, *term.cell.values()) for term in explanation.terms}
    assert names == {("blocks.0.attn.q", 3, 2, d) for d in range(q.shape[-1])} | {
        ("blocks.0.attn.keys", 1, 1, d) for d in range(keys.shape[-1])
    }


def test_a_tied_heads_gradient_is_the_sum_of_both_uses():
    trace = trace_of("four heads")
    token = trace.ids[1]
    explanation = trace.explain_grad("token_embedding", vocab=token, d_model=5)
    assert explanation.formula.count("∂loss/∂") == 2
    arriving = {term.name for term in explanation.terms if term.role == "arriving gradient"}
    assert arriving == {"embed.tokens", "logits"}


def test_a_parameters_gradient_adds_up_over_positions():
    trace = trace_of("as it is")
    explanation = trace.explain_grad("blocks.0.mlp.w_in", d_model=2, d_mlp=7)
    assert len(explanation.contributions) == len(trace.ids)
    x = trace["blocks.0.norm2"].values[:, 2]
    arrived = trace.grad["blocks.0.mlp.pre"].values[:, 7]
    assert sorted(c.value for c in explanation.contributions) == pytest.approx(sorted(x * arrived))


def test_a_token_that_is_not_in_the_text_has_no_gradient():
    trace = trace_of("baby-groot")
    absent = next(i for i in range(24) if i not in trace.ids)
    explanation = trace.explain_grad("token_embedding", vocab=absent, d_model=0)
    assert (explanation.value, explanation.recomputed) == (0, 0)
    assert explanation.is_leaf
    assert "nothing on the way to the loss reads it" in explanation.formula


def test_every_gradient_leads_up_to_the_loss():
    trace = trace_of("one layer")
    for name in trace.grad:
        waiting = [trace.explainer.gradient(name, (0,) * trace.gradients[name].ndim)]
        met = set()
        while waiting:
            each = waiting.pop()
            if each.kind == "gradient" and each.key not in met:
                met.add(each.key)
                waiting.extend(each.operands())
        if any(key[1] != name for key in met):
            assert ("gradient", "loss", ()) in met, name


def test_the_losss_own_gradient_is_1():
    explanation = trace_of("as it is").explain_grad("loss")
    assert (explanation.value, explanation.recomputed, explanation.is_leaf) == (1, 1, True)


@pytest.mark.parametrize("name", ["baby-groot", "four heads", "sinusoidal positions"])
def test_every_value_leads_down_to_ids_and_parameters(name):
    trace = trace_of(name)
    waiting = [trace.explain("loss")]
    met, leaves = set(), set()
    while waiting:
        each = waiting.pop()
        if each.key not in met:
            met.add(each.key)
            waiting.extend(each.operands())
            if each.is_leaf:
                leaves.add(each.name)
    given = {"ids", "targets"} | ({"positions"} if name == "sinusoidal positions" else set())
    assert given <= leaves
    masked = {name for name in leaves if name.endswith("masked_scores")}
    assert leaves - masked - {"positions"} <= {"ids", "targets", *trace.parameters}
    weights = {name for name in trace.parameters if not name.endswith(("b_k", "b_q"))}
    assert weights <= leaves


# Infinite numbers


def test_the_future_explains_itself():
    model = model_of("baby-groot")
    trace = model.trace("i am groot")
    explanation = trace.explain("blocks.0.attn.masked_scores", query="am", key="groot")
    assert explanation.formula == "the future: −∞, as groot comes after am"
    assert explanation.value == explanation.recomputed == -np.inf
    assert (explanation.error, explanation.is_leaf) == (0, True)
    share = trace.explain("blocks.0.attn.pattern", query="am", key="groot")
    assert (share.value, share.recomputed, share.error) == (0, 0, 0)


@pytest.fixture(scope="module", params=[-np.inf, np.inf])
def endless(request):
    """A model one of whose weights is infinite."""
    model = small_model()
    parameters = {name: array.copy() for name, array in model.parameters.items()}
    parameters["head.b"][7] = request.param
    with np.errstate(all="ignore"):
        return type(model)(model.config, parameters).trace(ids=[3, 7, 5], target="next")


@pytest.mark.filterwarnings("error")
def test_infinite_and_undefined_numbers_are_explained_without_a_word_from_numpy(endless):
    explainer = endless.explainer
    for name in ("logits", "probs", "probs.max", "probs.sum", "loss", "loss.per_position.log_sum"):
        for cell in np.ndindex(endless[name].shape):
            explanation = explainer.value(name, cell)
            assert explanation.error <= explanation.tolerance
    explanation = endless.explain("logits", position=0, vocab=7)
    assert (explanation.value, explanation.error) == (endless["head.b"].values[7], 0)


# Names and cells


def test_aliases_lead_to_the_tensor():
    trace = trace_of("as it is")
    by_alias = trace.explain("blocks.0.resid_pre", position=1, d_model=2)
    assert by_alias is trace.explain("embed.out", position=1, d_model=2)
    by_alias = trace.explain_grad("blocks.1.resid_pre", position=1, d_model=2)
    assert by_alias is trace.explain_grad("blocks.0.resid_post", position=1, d_model=2)


@pytest.mark.parametrize(
    ("name", "near"), [("logit", "logits"), ("blocks.0.attn.patern", "pattern"), ("noise", "")]
)
def test_an_unknown_name_is_met_with_near_ones(name, near):
    trace = trace_of("as it is")
    for explain in (trace.explain, trace.explain_grad):
        with pytest.raises(PellucidError, match=f'no tensor "{name}".*{near}'):
            explain(name)


def test_what_was_not_kept_says_how_to_keep_it():
    model = small_model()
    part = model.trace(ids=[1, 2], names=["logits"])
    with pytest.raises(PellucidError, match=r'norm1 was not kept .* names=\["blocks.0.norm1"\]'):
        part.explain("blocks.0.norm1", position=0, d_model=0)
    with pytest.raises(PellucidError, match=r'final_norm was not kept .* names=\["final_norm"\]'):
        part.explain("logits", position=0, vocab=0)
    whole = part.explain("head.b", vocab=0)
    assert whole.is_leaf


def test_a_gradient_that_was_not_kept_is_never_left_out_of_a_sum():
    part = small_model().trace(ids=[1, 2], names=["blocks.1.mlp.out"], target="next")
    with pytest.raises(PellucidError, match=r"resid_post was not kept .* names="):
        part.explain_grad("blocks.1.mlp.out", position=0, d_model=0)


def test_gradients_need_a_target():
    trace = small_model().trace(ids=[1, 2])
    with pytest.raises(PellucidError, match='trace with a target, such as target="next"'):
        trace.explain_grad("logits", position=0, vocab=0)
    with pytest.raises(PellucidError, match='trace with a target, such as target="next"'):
        trace.explain("targets", position=0)


def test_an_intermediate_has_no_gradient_and_says_whose_to_ask_for():
    trace = trace_of("as it is")
    with pytest.raises(PellucidError, match=r"intermediate of blocks.0.norm1, .* Ask for that of"):
        trace.explain_grad("blocks.0.norm1.mean", position=0)
    with pytest.raises(PellucidError, match="probs: it is not on the way to the loss"):
        trace.explain_grad("probs", position=0, vocab=0)


@pytest.mark.parametrize(
    ("printed", "name", "cell"),
    [
        ("blocks.0.attn.scores[am, i]", "blocks.0.attn.scores", {"query": "am", "key": "i"}),
        ("attn.q[am, d_head=3]", "blocks.0.attn.q", {"position": 2, "d_head": 3}),
        ("scores[query=am, key=1]", "blocks.0.attn.scores", {"query": 2, "key": 1}),
        ("head.w[2, groot]", "head.w", {"d_model": 2, "vocab": "groot"}),
        ("norm1.rstd[i]", "blocks.0.norm1.rstd", {"position": 1}),
    ],
)
def test_a_cell_is_found_as_it_is_printed(printed, name, cell):
    trace = pellucid.load("baby-groot").trace("i am groot")
    assert trace.explain(printed) is trace.explain(name, **cell)


def test_a_word_that_stands_twice_is_found_as_it_is_printed():
    trace = pellucid.load("baby-groot").trace("i am i")
    assert trace.explain("scores[am, i@1]").index == (0, 2, 1)


def test_an_end_that_several_tensors_share_is_refused_with_their_names():
    model = pellucid.interop.seeds.lesson_3()[0]
    with pytest.raises(PellucidError, match=r"one of blocks.0.attn.q, blocks.1.attn.q: give"):
        model.trace(ids=[1, 2]).explain("attn.q", head=0, position=0, d_head=0)
