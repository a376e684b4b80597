"""What is copied, pickled or sent to another process says the same, and is as closed to writing."""

import copy
import pickle

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError

MODEL = pellucid.load("baby-groot")
COPIES = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.fixture(params=COPIES)
def copied(request):
    return COPIES[request.param]


def a_trace():
    trace = MODEL.trace("i am groot", target="next")
    # Leaves an explainer behind, which cannot be pickled.
    trace.explain("logits", position=-1, vocab="groot")
    return trace


def assert_closed(array):
    with pytest.raises(ValueError, match="read-only"):
        array[...] = 0


def test_a_model(copied):
    model = copied(MODEL)
    assert model.generate_text("i am") == MODEL.generate_text("i am")
    assert model.labelled_parameters.digest == MODEL.labelled_parameters.digest
    for array in model.parameters.values():
        assert_closed(array)


def test_a_trace(copied):
    trace, again = a_trace(), copied(a_trace())
    assert repr(again) == repr(trace)
    assert again.check().holds
    for name in trace.names:
        assert np.array_equal(again[name].values, trace[name].values)
        assert_closed(again[name].values)
    for name in trace.grad:
        assert np.array_equal(again.grad[name].values, trace.grad[name].values)
        assert_closed(again.grad[name].values)
    for name in trace.parameters:
        assert_closed(again[name].values)


def test_a_trace_from_a_file(copied, tmp_path):
    path = a_trace().save(tmp_path / "trace.safetensors")
    again = copied(pellucid.Trace.load(path, model=MODEL))
    assert repr(again["logits"]) == repr(a_trace()["logits"])
    assert again.check().holds


def test_a_tensor(copied):
    tensor = a_trace()["blocks.0.attn.pattern"]
    again = copied(tensor)
    assert repr(again) == repr(tensor)
    assert_closed(again.values)


@pytest.mark.parametrize("ask", ["explain", "explain_grad"])
def test_an_explanation(copied, ask):
    found = getattr(a_trace(), ask)("blocks.0.attn.q", position="am", d_head=3)
    again = copied(found)
    assert again.to_dict() == found.to_dict()
    assert [each.name for each in again.operands()] == [each.name for each in found.operands()]


@pytest.mark.parametrize(
    ("stored", "computed"),
    [("float16", "float32"), (">f4", "float32"), ("float32", "float32"), (">f8", "float64")],
)
def test_a_model_computes_in_one_of_two_precisions(stored, computed):
    arrays = {name: array.astype(stored) for name, array in MODEL.parameters.items()}
    model = pellucid.Model(MODEL.config, arrays, MODEL.tokenizer)
    assert model.dtype == computed
    assert {array.dtype for array in model.parameters.values()} == {np.dtype(computed)}
    assert model.trace("i am groot").check().holds


def test_one_wide_parameter_makes_all_of_them_wide():
    arrays = {**MODEL.parameters, "head.w": MODEL.parameters["head.w"].astype(np.float64)}
    model = pellucid.Model(MODEL.config, arrays)
    assert {array.dtype.name for array in model.parameters.values()} == {"float64"}


@pytest.mark.parametrize("seed", [-1, 1.5, "x"])
def test_fresh_weights_need_a_seed_that_is_a_whole_number(seed):
    with pytest.raises(PellucidError, match="give a whole number, 0 or more"):
        pellucid.Model.from_config(MODEL.config, seed=seed)


def test_what_a_lens_read(copied):
    reading = pellucid.lens(MODEL, "i am groot")
    again = copied(reading)
    assert again.to_dict() == reading.to_dict()
    last = reading.places[-1]
    assert np.array_equal(again.logits(last).values, reading.logits(last).values)
    assert_closed(again.probs)


def test_what_heads_look_at_and_attention_rolled_out(copied):
    summary, rolled = pellucid.heads(MODEL, "groot am groot"), pellucid.rollout(a_trace())
    assert repr(copied(summary)) == repr(summary)
    assert_closed(copied(summary).shares["induction"])
    assert copied(rolled).to_dict() == rolled.to_dict()
    assert_closed(copied(rolled).values)


def test_what_a_patching_found(copied):
    found = pellucid.patch(MODEL, "friend likes", "groot likes", answer=("groot", "tree"))
    again = copied(found)
    assert again.to_dict() == found.to_dict()
    assert_closed(again.differences)
