"""Two runs side by side: what is equal, what is noise, and where they part."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pellucid.cli.output import plain
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.trace.compare import compare_arrays, compare_traces
from pellucid.trace.prediction_shift import divergences, prediction_shift
from pellucid.trace.stream_change import stream_change
from pellucid.trace.trace import Trace
from tests.small_models import OPTIONS, WORDS, random_parameters, small_config, small_model

PROMPT = "ash bud elm oak"


def changed(trace, **values):
    """The trace with other values under some names, dots written as `__`."""
    named = {name.replace("__", "."): value for name, value in values.items()}
    return replace(trace, values={**trace.values, **named})


def edited(model, trace, at, change):
    """A run that goes on from a changed tensor."""
    run = model.engine.forward(
        {"ids": np.array([trace.ids])},
        keep=trace.names,
        outputs=(),
        intervene=lambda name, x: change(x) if name == at else x,
    )
    return replace(trace, values={name: run[name][0, ...] for name in trace.names})


@pytest.fixture(scope="module")
def model():
    return small_model(dtype="float32", tokenizer=WORDS)


@pytest.fixture(scope="module")
def trace(model):
    return model.trace(PROMPT)


@pytest.fixture
def stored(tmp_path):
    """Stores a trace and loads it without its model."""

    def store(trace, name="trace"):
        return Trace.load(trace.save(tmp_path / f"{name}.safetensors"))

    return store


# Equal, noise, fault


def test_a_trace_is_equal_to_itself(trace):
    found = compare_traces(trace, trace)
    assert found.verdict == "equal"
    assert found.first is None
    assert [each.name for each in found.tensors] == list(trace.names)
    assert found.parameters == ()
    assert found.only_in_a == found.only_in_b == ()


@pytest.mark.parametrize("option", OPTIONS)
def test_two_precisions_of_one_model_differ_by_noise(option):
    model = small_model(option, dtype="float64", tokenizer=WORDS)
    double = model.trace(PROMPT, target="next")
    single = model.astype("float32").trace(PROMPT, target="next")
    for a, b in ((double, single), (single, double)):
        found = compare_traces(a, b)
        assert found.verdict == "noise"
        assert found.precision == "float32"
        assert found.rerun
        assert all(each.kind in ("equal", "noise") for each in found.parameters)
        assert max(each.share or 0 for each in found.tensors) < 0.5


def test_an_edit_is_found_where_it_was_made_on_either_side(model, trace):
    other = edited(
        model, trace, "blocks.1.attn.z", lambda z: z * (np.arange(4) != 2)[:, None, None]
    )
    for a, b, wrong in ((trace, other, "b_step"), (other, trace, "a_step")):
        found = compare_traces(a, b)
        assert found.verdict == "fault"
        assert [each.name for each in found.faults] == ["blocks.1.attn.z"]
        assert getattr(found.faults[0], wrong).share > 1
        assert found.faults[0].cell["head"] == 2
        after = found.tensors[found.tensors.index(found.faults[0]) + 1 :]
        assert {each.kind for each in after} == {"differs"}
        before = found.tensors[: found.tensors.index(found.faults[0])]
        assert {each.kind for each in before} == {"equal"}
        assert "All else differs only because of what it was computed from." in found.reason


def test_the_same_edit_on_both_sides_is_no_difference(model, trace):
    def halve(x):
        return x * x.dtype.type(0.5)

    double = model.astype("float64")
    a = edited(model, trace, "blocks.0.norm2", halve)
    b = edited(double, double.trace(PROMPT), "blocks.0.norm2", halve)
    found = compare_traces(a, b)
    step = found["blocks.0.norm2"]
    assert step.a_step is not None
    assert step.b_step is not None
    assert min(step.a_step.share, step.b_step.share) > 1
    assert found.verdict == "noise"


def test_what_does_not_read_a_wrong_tensor_does_not_follow_from_it(model, trace):
    found = compare_traces(trace, edited(model, trace, "blocks.0.attn.k", lambda k: k * 2))
    kinds = {each.name: each.kind for each in found.tensors}
    assert kinds["blocks.0.attn.k"] == "fault"
    assert kinds["blocks.0.attn.keys"] == "differs"
    assert kinds["blocks.0.attn.v"] == "equal"


def test_other_weights_show_in_the_first_tensor_that_reads_them(trace):
    weights = random_parameters(small_config(), dtype="float32")
    weights["blocks.1.attn.w_k"] = weights["blocks.1.attn.w_k"] * np.float32(1.001)
    other = Model(small_config(), weights, WORDS)
    found = compare_traces(trace, other.trace(PROMPT))
    assert found.verdict == "different"
    assert found.faults == ()
    assert found.first is found["blocks.1.attn.k_flat"]
    assert [each.name for each in found.changed] == ["blocks.1.attn.k_flat"]
    assert [each.name for each in found.weights_apart] == ["blocks.1.attn.w_k"]
    assert {each.kind for each in found.weights_apart} == {"changed"}
    kinds = {each.name: each.kind for each in found.tensors}
    assert kinds["blocks.1.attn.keys"] == kinds["logits"] == "differs"
    assert kinds["blocks.1.attn.v"] == "equal"


def test_another_activation_and_epsilon_are_found_and_named(trace):
    config = small_config().replace(activation="gelu", norm_epsilon=1e-3)
    other = Model(config, random_parameters(config, dtype="float32"), WORDS)
    found = compare_traces(trace, other.trace(PROMPT))
    assert found.first is not None
    assert found.first.name == "blocks.0.norm1.rstd"
    assert found.first.step == "blocks.0.norm1"
    assert found.verdict == "different"
    assert found.faults == found.weights_apart == ()
    assert {each.step for each in found.changed} == {
        *(f"blocks.{i}.{name}" for i in (0, 1) for name in ("norm1", "norm2", "mlp.post")),
        "final_norm",
    }
    assert found.configs == {
        "norm_epsilon": (1e-5, 1e-3),
        "activation": ("gelu_tanh", "gelu"),
    }


def test_another_shape_shows_in_the_first_tensor_that_has_it(trace):
    config = small_config().replace(d_mlp=20)
    weights = random_parameters(small_config(), dtype="float32")
    wider = random_parameters(config, dtype="float32")
    weights |= {name: array for name, array in wider.items() if ".mlp." in name}
    found = compare_traces(trace, Model(config, weights, WORDS).trace(PROMPT))
    assert found.first is not None
    assert found.first.name == "blocks.0.mlp.pre"
    assert (found.first.shape, found.first.shape_in_b) == ((5, 12), (5, 20))
    assert "blocks.0.mlp.pre is [5, 12] in a (position d_mlp) and [5, 20] in b." in found.reason
    assert (found.verdict, found.first.kind) == ("different", "changed")
    assert (found["blocks.0.mlp.post"].kind, found["blocks.0.mlp.out"].kind) == (
        "differs",
        "changed",
    )
    assert found.first.a_step is not None
    assert found.first.b_step is not None
    assert max(found.first.a_step.share, found.first.b_step.share) < 1


def test_shapes_differ_with_the_weights_on_the_other_side_too(trace, stored):
    config = small_config().replace(vocab_size=17)
    wider = Model(config, random_parameters(config, dtype="float32"))
    other = wider.trace(ids=trace.ids)
    loaded = stored(trace)
    for a, b, ours, theirs in (
        (loaded, other, "a_step", "b_step"),
        (other, loaded, "b_step", "a_step"),
    ):
        found = compare_traces(a, b)
        logits = found["logits"]
        assert (found.verdict, logits.kind) == ("different", "changed")
        assert {logits.shape, logits.shape_in_b} == {(5, 11), (5, 17)}
        assert getattr(logits, ours) is None
        assert getattr(logits, theirs).share < 1


# Different models


@pytest.mark.parametrize("option", OPTIONS)
def test_two_models_of_one_config_are_different_and_neither_is_wrong(option):
    a, b = (small_model(option, seed=seed, dtype="float32", tokenizer=WORDS) for seed in (0, 1))
    found = compare_traces(a.trace(PROMPT, target="next"), b.trace(PROMPT, target="next"))
    assert found.verdict == "different"
    assert found.faults == ()
    assert found.configs == {}
    assert found.n_weights == len(found.weights_apart) == len(a.parameters)
    assert found.first is found["embed.tokens"]
    for each in found.tensors:
        assert each.a_step is not None
        assert each.b_step is not None
        assert max(each.a_step.share, each.b_step.share) < 1


@pytest.mark.parametrize("option", OPTIONS)
def test_two_configs_are_different_models(trace, option):
    config = small_config(option)
    other = Model(config, random_parameters(config, seed=1, dtype="float32"), WORDS)
    for a, b in ((trace, other.trace(PROMPT)), (other.trace(PROMPT), trace)):
        found = compare_traces(a, b)
        assert found.verdict == "different"
        assert found.faults == ()
        assert bool(found.configs) == (config != small_config())


def test_a_fault_of_a_different_model_is_found_with_its_own_weights(trace):
    other = small_model(seed=1, dtype="float32", tokenizer=WORDS)
    broken = edited(other, other.trace(PROMPT), "blocks.1.attn.z", lambda z: z * np.float32(1.001))
    for a, b, side in ((trace, broken, "b"), (broken, trace, "a")):
        found = compare_traces(a, b)
        assert found.verdict == "fault"
        assert [each.name for each in found.faults] == ["blocks.1.attn.z"]
        assert found.first is found["blocks.1.attn.z"]
        assert found.reason.startswith(f"Fault: {side} goes wrong at blocks.1.attn.z. ")
        assert "They are different models: " in found.reason
        assert "All else differs because the models do" in found.reason
        assert "before it are within rounding" not in found.reason


def test_an_edit_made_to_two_different_models_alike_is_told(model, trace):
    def ablate(z):
        return z * np.float32(0)

    other = small_model(seed=1, dtype="float32", tokenizer=WORDS)
    a = edited(model, trace, "blocks.1.attn.z", ablate)
    found = compare_traces(a, edited(other, other.trace(PROMPT), "blocks.1.attn.z", ablate))
    assert found["blocks.1.attn.z"].kind == "equal"
    assert found.verdict == "different"
    assert "Edited on both sides alike: blocks.1.attn.z." in found.reason
    assert "Neither is wrong" not in found.reason


def test_a_weight_that_these_tokens_do_not_read_makes_another_model_all_the_same(model, trace):
    weights = {name: array.copy() for name, array in model.parameters.items()}
    weights["token_embedding"][WORDS.encode("root")] += 1
    found = compare_traces(trace, Model(model.config, weights, WORDS).trace(PROMPT))
    assert found.verdict == "different"
    assert found.first is None
    assert {each.kind for each in found.tensors} == {"equal"}
    assert "It does not show here: " in found.reason


def test_what_reads_a_changed_step_that_was_not_kept_follows_from_it(model, trace):
    other = small_model(seed=1, dtype="float32", tokenizer=WORDS)
    found = compare_traces(trace, other.trace(PROMPT, names=["blocks.0.resid_mid", "probs"]))
    assert [each.kind for each in found.tensors] == ["differs", "differs"]
    assert (found.verdict, found.first) == ("different", found["blocks.0.resid_mid"])


def test_stored_traces_of_different_models_are_told_by_their_weights_digests(trace, stored):
    other = small_model(seed=1, dtype="float32", tokenizer=WORDS).trace(PROMPT)
    loaded = stored(other, "other")
    one = compare_traces(trace, loaded)
    assert (one.verdict, one.rerun, one.n_weights) == ("different", True, 0)
    assert "Nothing is wrong in a: " in one.reason
    assert "There were no weights of b at hand" in one.reason
    none = compare_traces(stored(trace), loaded)
    assert (none.verdict, none.rerun) == ("different", False)
    assert "as their digests say (the config is the same)." in none.reason
    assert "no weights at hand to run the steps again" in none.reason


# What a difference comes to


def test_what_comes_next_and_the_stream_are_held_together_where_the_runs_differ(trace):
    other = small_model(seed=1, dtype="float32", tokenizer=WORDS).trace(PROMPT)
    found = compare_traces(trace, other)
    assert found.shift == prediction_shift(trace, other)
    assert found.divergences == divergences(trace, other, range(5), range(5))
    assert found.stream == stream_change(trace, other, [(i, i) for i in range(5)], trace.tokens)
    equal = compare_traces(trace, trace)
    assert (equal.shift, equal.divergences, equal.stream) == (None, (), None)


def test_without_logits_nothing_is_said_of_what_comes_next(model, trace):
    other = small_model(seed=1, dtype="float32", tokenizer=WORDS)
    found = compare_traces(trace, other.trace(PROMPT, names=["embed.out"]))
    assert (found.shift, found.divergences) == (None, ())
    assert found.stream is not None
    assert found.stream.states == ("embed.out",)


# Infinities and NaN


def test_a_nan_on_one_side_is_where_that_side_goes_wrong(trace):
    pattern = trace.values["blocks.0.attn.pattern"].copy()
    pattern[1, 3, 0] = np.nan
    found = compare_traces(trace, changed(trace, blocks__0__attn__pattern=pattern))
    assert found.first is not None
    assert found.first.name == "blocks.0.attn.pattern"
    assert found.first.cell == {"head": 1, "query": 3, "key": 0}
    assert "and b has NaN" in found.reason


def test_nans_in_the_same_places_are_equal_and_named(trace):
    logits = trace.values["logits"].copy()
    logits[0, 0] = np.nan
    broken = changed(trace, logits=logits)
    found = compare_traces(broken, broken)
    assert found.verdict == "equal"
    assert found["logits"].nans == 1
    assert "Both have NaN in the same places, first in logits." in found.reason


def test_the_masked_future_is_no_difference(trace, model):
    found = compare_traces(trace, model.astype("float64").trace(PROMPT))
    masked = found["blocks.0.attn.masked_scores"]
    assert np.isinf(trace.values["blocks.0.attn.masked_scores"]).any()
    assert masked.kind == "noise"
    assert 0 < masked.largest < 1e-5


# Without weights


def test_without_weights_a_rule_of_thumb_tells_noise_from_fault(model, trace, stored):
    a, b = stored(trace, "a"), stored(model.astype("float64").trace(PROMPT), "b")
    noise = compare_traces(a, b)
    assert noise.verdict == "noise"
    assert not noise.rerun
    assert all(each.share is None for each in noise.tensors)
    c = stored(edited(model, trace, "blocks.1.norm1", lambda x: x * 1.0001), "c")
    fault = compare_traces(a, c)
    assert [each.name for each in fault.faults] == ["blocks.1.norm1"]
    assert "does not say which side is wrong" in fault.reason


def test_weights_on_one_side_are_enough(model, trace, stored):
    other = stored(edited(model, trace, "blocks.1.norm1", lambda x: x * 1.0001))
    for a, b in ((trace, other), (other, trace)):
        found = compare_traces(a, b)
        assert found.rerun
        assert [each.name for each in found.faults] == ["blocks.1.norm1"]


# Parts


def test_traces_that_kept_different_tensors_meet_in_what_both_kept(model, trace):
    part = model.trace(PROMPT, names=["blocks.0.attn.z", "logits"])
    found = compare_traces(trace, part)
    assert [each.name for each in found.tensors] == ["blocks.0.attn.z", "logits"]
    assert len(found.only_in_a) == len(trace.names) - 2
    assert compare_traces(part, trace).only_in_b == found.only_in_a
    with pytest.raises(PellucidError, match="no tensor in common"):
        compare_traces(part, model.trace(PROMPT, names=["probs"]))


def test_the_loss_is_compared_where_both_have_one(model, trace):
    with_loss = model.trace(PROMPT, target="next")
    assert compare_traces(with_loss, trace).only_in_a == tuple(
        name for name in with_loss.names if name.startswith("loss")
    )
    off = changed(with_loss, loss=np.array(with_loss.loss + 0.01))
    assert [each.name for each in compare_traces(with_loss, off).faults] == ["loss"]


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("ash bud elm", "a read 5 tokens and b 4"),
        ("ash bud fir oak", r'At position 3 a read "elm" \(id 5\) and b "fir" \(id 6\)'),
    ],
)
def test_other_tokens_are_refused(model, trace, prompt, said):
    with pytest.raises(PellucidError, match=said):
        compare_traces(trace, model.trace(prompt))


def test_other_targets_are_refused(model):
    with pytest.raises(PellucidError, match="compare losses of the same targets"):
        compare_traces(model.trace(PROMPT, target="oak"), model.trace(PROMPT, target="elm"))


# Arrays


def test_weights_among_the_arrays_are_compared_too(trace, model):
    theirs = {**trace.values, **model.parameters}
    theirs["head.w"] = theirs["head.w"] + np.float32(1e-3)
    found = compare_arrays(trace, theirs)
    assert [each.name for each in found.parameters if each.kind == "fault"] == ["head.w"]
    assert found.verdict == "equal"
    assert "The weights differ: head.w." in found.reason


def test_arrays_without_a_name_of_ours_are_refused(trace):
    with pytest.raises(PellucidError, match=r"None of the arrays has .*: h.0, h.1. Say which"):
        compare_arrays(trace, {"h.0": np.zeros(3), "h.1": np.zeros(3)})


def test_half_precision_is_held_to_what_it_can_do(trace):
    halves = {name: value.astype("float16") for name, value in trace.values.items()}
    found = compare_arrays(trace, halves)
    assert found.precision == "float16"
    assert found.verdict == "noise"
    halves["blocks.0.attn.scores"] = halves["blocks.0.attn.scores"] * np.float16(1.1)
    assert compare_arrays(trace, halves).first is not None


# Shown and written


def test_a_tensor_that_was_not_compared_is_refused_by_name(trace):
    found = compare_traces(trace, trace)
    with pytest.raises(PellucidError, match=r'"logit" was not compared\. Did you mean logits'):
        found["logit"]


def test_everything_is_plain_data(trace, model):
    found = compare_traces(trace, edited(model, trace, "blocks.0.attn.scores", lambda s: s * 2))
    data = json.loads(json.dumps(plain(found.to_dict()), allow_nan=False))
    assert data["verdict"] == "fault"
    assert data["first"] == "blocks.0.attn.scores"
    assert data["faults"] == ["blocks.0.attn.scores"]
    assert [each["name"] for each in data["tensors"]] == [each.name for each in found.tensors]
    first = next(each for each in data["tensors"] if each["name"] == data["first"])
    assert first["b_step"]["share"] > 1
    assert set(first["cell"]) == {"head", "query", "key"}


def test_a_comparison_prints_itself(trace):
    assert repr(compare_traces(trace, trace)).startswith("Equal: the ")
