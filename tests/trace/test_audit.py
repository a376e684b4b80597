"""Steps done again in float64 from what a run itself had before them."""

import numpy as np
import pytest

from pellucid.model.model import Model
from pellucid.trace.audit import Audit
from tests.small_models import OPTIONS, WORDS, random_parameters, small_config, small_model

PROMPT = "ash bud elm oak"


def audit_of(model, trace):
    return Audit(model.graph, model.parameters, trace.ids, trace.targets)


def run_with(model, trace, change):
    """The values of a run in which `change(name, output)` takes the place of each output."""
    inputs = {"ids": np.array([trace.ids]), "targets": np.array([trace.targets])}
    run = model.engine.forward(inputs, keep=trace.names, outputs=(), intervene=change)
    return {name: run[name][0, ...] for name in trace.names}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("option", OPTIONS)
def test_our_own_runs_stay_far_below_what_rounding_may_do(option, dtype):
    model = small_model(option, dtype=dtype, tokenizer=WORDS)
    trace = model.trace(PROMPT, target="next")
    found = audit_of(model, trace).departures(trace.values, dtype)
    assert list(found) == list(trace.names)
    assert max(step.share for step in found.values()) < 0.3


def test_a_disturbed_step_stands_out_alone():
    model = small_model(tokenizer=WORDS)
    trace = model.trace(PROMPT, target="next")
    audit = audit_of(model, trace)
    for node in model.graph.nodes:
        values = run_with(
            model, trace, lambda name, x, at=node.name: x * 1.000001 if name == at else x
        )
        found = audit.departures(values, "float64")
        assert [name for name, step in found.items() if step.share > 1] == [node.name]


def test_a_step_starts_from_what_the_run_had_or_from_what_that_gives():
    model = small_model(tokenizer=WORDS)
    trace = model.trace(PROMPT, target="next")
    values = run_with(model, trace, lambda name, x: x + 1 if name == "blocks.0.attn.v_flat" else x)
    few = {name: values[name] for name in ("embed.out", "blocks.0.attn.z", "logits")}
    found = audit_of(model, trace).departures(few, "float64")
    assert found["embed.out"].share < 1
    assert found["blocks.0.attn.z"].share > 1
    assert found["blocks.0.attn.z"].expected != found["blocks.0.attn.z"].given
    assert found["logits"].share < 1


def test_one_wrong_cell_among_many_is_enough_and_named():
    model = small_model(dtype="float32", tokenizer=WORDS)
    trace = model.trace(PROMPT, target="next")
    logits = trace.values["logits"].copy()
    logits[2, 7] += 1e-3
    step = audit_of(model, trace).departures({**trace.values, "logits": logits}, "float32")[
        "logits"
    ]
    assert step.share > 1
    assert step.index == (2, 7)
    assert step.given - step.expected == pytest.approx(1e-3, rel=1e-2)
    assert 0 < step.allowed < 1e-3


def test_one_cell_that_is_lost_among_the_others_is_seen_by_itself():
    model = small_model(dtype="float32", tokenizer=WORDS)
    trace = model.trace(PROMPT, target="next")
    audit = audit_of(model, trace)
    exact = audit.departures(trace.values, "float32")["logits"]
    logits = trace.values["logits"].copy()
    logits[2, 7] += np.float32(1.3 * exact.allowed)
    step = audit.departures({**trace.values, "logits": logits}, "float32")["logits"]
    error, cells = abs(step.given - step.expected), logits.size
    assert error / np.sqrt(cells) < exact.allowed / 4  # their mean square says nothing
    assert 1 < step.share < 2
    assert step.index == (2, 7)


def test_few_numbers_are_not_blamed_because_rounding_was_lucky_elsewhere():
    """A confident model, whose loss is one number, the small difference of two large ones."""
    config = small_config()
    for seed in range(60):
        weights = random_parameters(config, seed=seed, dtype="float32")
        weights["head.w"] = weights["head.w"] * np.float32(30)
        model = Model(config, weights, WORDS)
        likeliest = int(model.logits([WORDS.prompt(PROMPT)])[0, -1].argmax())
        trace = model.trace(PROMPT, target=likeliest)
        found = audit_of(model, trace).departures(trace.values, "float32")
        assert max(step.share for step in found.values()) < 0.15


def test_a_small_error_in_every_cell_is_seen_in_all_of_them_together():
    model = small_model(dtype="float32", tokenizer=WORDS)
    trace = model.trace(PROMPT, target="next")
    audit = audit_of(model, trace)
    exact = audit.departures(trace.values, "float32")["logits"]
    logits = trace.values["logits"] + np.float32(0.8 * exact.allowed)
    step = audit.departures({**trace.values, "logits": logits}, "float32")["logits"]
    assert abs(step.given - step.expected) < step.allowed
    assert step.share > 1


def test_what_overflows_in_rounding_is_rounding():
    model = small_model(dtype="float32", tokenizer=WORDS)
    trace = model.trace(PROMPT, target="next")
    large = np.full_like(trace.values["blocks.0.attn.q"], 3e38)
    values = {"blocks.0.attn.q": large, "blocks.0.attn.keys": trace.values["blocks.0.attn.keys"]}
    with np.errstate(over="ignore", invalid="ignore"):
        run = model.engine.forward(
            {"ids": np.array([trace.ids])},
            keep=("blocks.0.attn.scores",),
            outputs=(),
            intervene=lambda name, x: values[name][None] if name in values else x,
        )
    values["blocks.0.attn.scores"] = run["blocks.0.attn.scores"][0]
    assert np.isinf(values["blocks.0.attn.scores"]).any()
    found = audit_of(model, trace).departures(values, "float32")
    assert found["blocks.0.attn.scores"].share < 1
