"""What a comparison comes to, in words. Where it goes wrong is tested with comparing itself."""

from dataclasses import replace

import numpy as np
import pytest

import pellucid
from pellucid.model.model import Model
from pellucid.trace.compare import compare_arrays, compare_traces
from pellucid.trace.verdict import listed, told_apart, two_numbers
from tests.small_models import WORDS, small_model

MODEL = small_model(dtype="float32", tokenizer=WORDS)
TRACE = MODEL.trace("ash bud elm")


def with_logits(change):
    return replace(TRACE, values={**TRACE.values, "logits": change(TRACE.values["logits"])})


def test_equal():
    assert compare_traces(TRACE, TRACE).reason == (
        f"Equal: the {len(TRACE.names)} tensors are the same, bit for bit."
    )
    one = MODEL.trace("ash bud elm", names=["logits"])
    assert compare_traces(one, one).reason == "Equal: the tensor is the same, bit for bit."


def test_noise_names_what_came_nearest_to_the_limit():
    found = compare_traces(TRACE, MODEL.astype("float64").trace("ash bud elm"))
    nearest = max(found.tensors, key=lambda each: each.share or 0)
    assert found.reason.startswith("Noise: float32 rounding explains every difference. ")
    assert f"is {nearest.name}, at {nearest.share:.0%} of what rounding may do." in found.reason


def test_a_fault_has_the_two_numbers_and_what_rounding_explains():
    def off(logits):
        changed = logits.copy()
        changed[1, 4] += 1
        return changed

    found = compare_traces(TRACE, with_logits(off))
    step = found.faults[0].b_step
    assert step is not None
    assert found.reason.startswith("Fault: b goes wrong at logits. From what b had before it, ")
    expected, given = told_apart(step.expected, step.given)
    assert f"float64 gives {expected} at [ash, bud], and b has {given}; " in found.reason
    before = list(TRACE.names).index("logits")
    assert f"The {before} tensors before it are within rounding." in found.reason
    assert compare_traces(with_logits(off), TRACE).reason.startswith("Fault: a goes wrong at ")


def test_a_fault_in_all_cells_together_says_so():
    exact = compare_traces(TRACE, MODEL.astype("float64").trace("ash bud elm"))["logits"].a_step
    assert exact is not None
    found = compare_traces(TRACE, with_logits(lambda x: x + x.dtype.type(0.8 * exact.allowed)))
    assert "over all cells together that is" in found.reason


def test_different_models_are_told_by_weights_and_first_tensor():
    other = small_model(seed=1, dtype="float32", tokenizer=WORDS)
    found = compare_traces(TRACE, other.trace("ash bud elm"))
    n = len(MODEL.parameters)
    assert found.reason.startswith(
        f"Different models: {n} of {n} weight tensors differ (the config is the same). "
        "The first weight: token_embedding at ["
    )
    assert f"The first tensor: {two_numbers(found['embed.tokens'])}." in found.reason
    assert found.reason.endswith(
        "Neither is wrong: run again in float64 with its own weights, each step of either is "
        "within rounding."
    )
    assert "wrong at" not in found.reason


def test_one_weight_alone_and_another_config_with_the_same_weights():
    weights = dict(MODEL.parameters)
    weights["head.w"] = weights["head.w"] + np.float32(1)
    one = compare_traces(TRACE, Model(MODEL.config, weights, WORDS).trace("ash bud elm"))
    n = len(weights)
    assert one.reason.startswith(f"Different models: 1 of {n} weight tensors differs (the config ")
    config = MODEL.config.replace(activation="relu")
    found = compare_traces(TRACE, Model(config, MODEL.parameters, WORDS).trace("ash bud elm"))
    assert found.reason.startswith(
        "Different models: the configs differ (activation is gelu_tanh in a and relu in b); "
        f"the {n} weight tensors that both have are the same. The first tensor: blocks.0.mlp.post "
    )


def test_edits_are_told_with_what_they_changed_first_and_what_follows():
    edit = pellucid.zero("blocks.1.attn.z", head=0)
    edited = MODEL.trace("ash bud elm", edits=[edit])
    found = compare_traces(TRACE, edited, rerun=True)
    before = list(TRACE.names).index("blocks.1.attn.z")
    follow = len(TRACE.names) - before - 1
    assert found.reason == (
        f"Edited: in b, zero blocks.1.attn.z[head=0]. "
        f"The first tensor to change: {two_numbers(found['blocks.1.attn.z'])}. "
        f"{follow} of {len(TRACE.names)} tensors follow from it. "
        f"{before} are the same, bit for bit. "
        "No step is wrong by itself: each was run again in float64, edits and all."
    )
    assert compare_traces(TRACE, edited).reason.endswith(
        "bit for bit. So says the graph; the steps were not run again in float64, as rerun=True "
        "does."
    )
    other = MODEL.trace("ash bud elm", edits=[pellucid.zero("probs", position=0), edit])
    both = compare_traces(MODEL.trace("ash bud elm", edits=[pellucid.add("probs", 1)]), other)
    assert both.reason.startswith(
        "Edited: in a, add probs 1; in b, zero probs[position=0], zero blocks.1.attn.z[head=0]. "
    )
    double = MODEL.astype("float64").trace("ash bud elm", edits=[pellucid.zero("probs")])
    assert "tensors follow" not in compare_traces(TRACE, double).reason
    assert "are the same, but for rounding." in compare_traces(TRACE, double).reason


def test_two_numbers_are_those_of_the_cell_that_is_furthest_apart():
    each = compare_traces(TRACE, with_logits(lambda x: x + np.eye(4, 11, dtype=x.dtype)))["logits"]
    assert each.where == "<START>, <PAD>"
    a, b = told_apart(each.a, each.b)
    assert two_numbers(each) == f"logits at [<START>, <PAD>] is {a} in a and {b} in b"


def test_names_that_are_none_of_ours_are_told():
    found = compare_arrays(TRACE, {**TRACE.values, "h.0": TRACE.values["logits"]})
    assert found.reason.endswith("No tensor of ours has these names: h.0.")


@pytest.mark.parametrize(
    ("a", "b", "texts"),
    [
        (0.25, 0.125, ("0.25", "0.125")),
        (3.1905615, 3.1905468, ("3.1905615", "3.1905468")),
        (-1.0, -1.0000001, ("−1", "−1.0000001")),
        (float("-inf"), 0.5, ("−∞", "0.5")),
        (float("nan"), 0.5, ("NaN", "0.5")),
    ],
)
def test_numbers_have_the_digits_that_tell_them_apart(a, b, texts):
    assert told_apart(a, b) == texts


def test_long_lists_are_counted():
    assert listed(["a", "b"]) == "a, b"
    assert listed(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"
