"""Whether a difference is noise, a fault, or follows from a fault further up."""

from dataclasses import replace

import numpy as np
import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.trace.audit import Departure
from pellucid.trace.judge import changed_steps, judge, judge_parameters, kind_of
from pellucid.trace.measure import measure
from tests.small_models import WORDS, small_config, small_model

TRACE = small_model(tokenizer=WORDS).trace("ash bud elm")
HALF = Departure(index=(0, 0), given=1.0, expected=1.0, allowed=1.0, share=0.5)
TWICE = replace(HALF, share=2.0)
APART = measure(TRACE["logits"], TRACE["logits"].values + 1, "float64")


@pytest.mark.parametrize(
    ("a_step", "b_step", "small", "follows", "kind"),
    [
        (HALF, HALF, True, False, "noise"),
        (HALF, HALF, False, False, "noise"),  # errors add up on the way, where nothing is wrong
        (HALF, HALF, True, True, "differs"),
        (HALF, TWICE, True, False, "fault"),
        (TWICE, HALF, False, True, "fault"),
        (TWICE, TWICE, True, False, "noise"),  # one edit, made to both
        (TWICE, TWICE, False, False, "fault"),
        (None, TWICE, False, False, "fault"),
        (None, None, True, False, "noise"),
        (None, None, True, True, "noise"),
        (None, None, False, False, "fault"),
        (None, None, False, True, "differs"),
    ],
)
def test_what_a_difference_is(a_step, b_step, small, follows, kind):
    each = replace(APART, a_step=a_step, b_step=b_step)
    assert kind_of(each, small=small, follows=follows) == kind


@pytest.mark.parametrize(
    ("a_step", "b_step", "small", "follows", "changed", "kind"),
    [
        (HALF, HALF, False, False, True, "changed"),
        (None, None, False, True, True, "changed"),
        (HALF, HALF, True, False, True, "noise"),
        (HALF, TWICE, False, False, True, "fault"),
        (HALF, HALF, False, True, False, "differs"),
        (HALF, TWICE, False, True, False, "fault"),
        (None, None, False, False, False, "fault"),
    ],
)
def test_what_a_difference_of_two_models_is(a_step, b_step, small, follows, changed, kind):
    each = replace(APART, a_step=a_step, b_step=b_step)
    assert kind_of(each, small=small, follows=follows, changed=changed) == kind


@pytest.mark.parametrize(
    ("step", "follows", "changed", "kind"),
    [
        (None, True, None, "fault"),
        (HALF, True, True, "changed"),
        (HALF, True, False, "differs"),
        (TWICE, True, True, "fault"),
        (None, False, False, "fault"),
    ],
)
def test_what_a_difference_of_shape_is(step, follows, changed, kind):
    logits = TRACE["logits"]
    each = replace(measure(logits, logits.values.T, "float64"), b_step=step)
    assert kind_of(each, small=True, follows=follows, changed=changed) == kind


def test_the_steps_that_two_models_take_in_another_way():
    a = TRACE.graph
    assert changed_steps(a, a, ()) == set()
    assert changed_steps(a, a, ["head.w"]) == {"logits"}
    gelu = build_graph(small_config("gelu"))
    assert changed_steps(a, gelu, ()) == {"blocks.0.mlp.post", "blocks.1.mlp.post"}
    shorter = changed_steps(a, build_graph(small_config("one layer")), ())
    assert shorter == {"final_norm", *(n.name for n in a.nodes if n.name.startswith("blocks.1."))}


def test_a_tensor_that_is_equal_is_no_fault_whatever_its_step():
    equal = measure(TRACE["logits"], TRACE["logits"].values, "float64")
    each = replace(equal, a_step=TWICE, b_step=TWICE)
    assert kind_of(each, small=True, follows=True) == "equal"


def test_everything_that_reads_a_fault_follows_from_it_and_nothing_else_does():
    measured = [
        replace(measure(TRACE[name], TRACE[name].values * (1 + 2**-52), "float64"), b_step=HALF)
        for name in TRACE.names
        if TRACE[name].values.any()
    ]
    fault = "blocks.1.attn.scores"
    measured = [replace(each, b_step=TWICE) if each.name == fault else each for each in measured]
    found = judge(TRACE.graph, measured, "float64")
    follow = {each.step for each in found if each.kind == "differs"}
    reached = {fault}
    for node in TRACE.graph.nodes:
        if reached & set(node.inputs):
            reached.add(node.name)
    assert follow == reached - {fault, "loss", "loss.per_position"}


def test_a_step_that_an_edit_took_is_edited_and_wrong_only_if_it_does_something_else():
    at = "blocks.0.attn.z"
    for step, kind in ((None, "edited"), (HALF, "edited"), (TWICE, "fault")):
        apart = replace(measure(TRACE[at], TRACE[at].values + 1, "float64"), b_step=step)
        (found,) = judge(TRACE.graph, [apart], "float64", edited={at})
        assert found.kind == kind
    noise = measure(TRACE[at], TRACE[at].values * (1 + 2**-52), "float64")
    (found,) = judge(TRACE.graph, [noise], "float64", edited={at})
    assert found.kind == "noise"


def test_what_reads_an_edited_step_that_was_not_kept_follows_from_it():
    apart = measure(TRACE["logits"], TRACE["logits"].values + 1, "float64")
    (found,) = judge(TRACE.graph, [apart], "float64", edited={"blocks.0.attn.z"})
    assert found.kind == "differs"
    (found,) = judge(TRACE.graph, [apart], "float64")
    assert found.kind == "fault"


def test_without_weights_the_rule_of_thumb_widens_with_every_step():
    off = 100 * 2**-53
    measured = [
        measure(TRACE[name], TRACE[name].values * (1 + off), "float64")
        for name in ("embed.tokens", "logits")
    ]
    early, late = judge(TRACE.graph, measured, "float64")
    assert (early.kind, late.kind) == ("fault", "noise")


def test_weights_in_another_precision_are_noise_and_others_are_not():
    parameters = TRACE.parameters
    singles = {name: array.astype("float32") for name, array in parameters.arrays.items()}
    assert {each.kind for each in judge_parameters(parameters, singles, "float32")} <= {
        "noise",
        "equal",
    }
    assert judge_parameters(parameters, parameters.arrays, "float64") == ()
    off = dict(singles)
    smallest = np.unravel_index(np.abs(off["head.w"]).argmin(), off["head.w"].shape)
    off["head.w"] = off["head.w"].copy()
    off["head.w"][smallest] *= np.float32(1.00001)  # far less than the largest weight's rounding
    found = {each.name: each.kind for each in judge_parameters(parameters, off, "float32")}
    assert [name for name, kind in found.items() if kind == "fault"] == ["head.w"]
