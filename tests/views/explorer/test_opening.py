"""A page opens with what its trace was made with, and takes nothing of it for the model's own."""

import json
from dataclasses import replace
from urllib.parse import parse_qs

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.views.explorer import data
from pellucid.views.explorer.data import page_data
from tests.views.explorer.test_data import PROMPT, read

HEAD = pellucid.zero("blocks.0.attn.pattern", head=0, query=1)
WEIGHT = pellucid.scale("blocks.0.mlp.w_in", 2)
WITHIN = pellucid.set_to("blocks.0.norm1.mean", 0.25)


@pytest.fixture(scope="module")
def groot():
    return pellucid.load("baby-groot")


def test_a_page_opens_with_edits_and_target_and_the_model_as_it_is(groot):
    edits = [HEAD, WEIGHT, WITHIN]
    page = page_data(groot.trace(PROMPT, target="groot", edits=edits), title="groot")
    plain = page_data(groot.trace(PROMPT), title="groot")
    said = {key: value for key, (value,) in parse_qs(page["opening"]).items()}
    assert pellucid.edits_from_json(said["edits"]) == tuple(edits)
    assert said["target"] == str(groot.tokenizer.encode("groot")[0])
    assert (page["graph"], page["parameters"]) == (plain["graph"], plain["parameters"])
    assert plain["opening"] == ""
    assert json.dumps(page, allow_nan=False)


def test_a_stored_trace_says_its_edits_and_keeps_every_tensor(groot, monkeypatch):
    monkeypatch.setattr(data, "MOST_LIVE", 0)
    trace = groot.trace(PROMPT, edits=[HEAD])
    stored = page_data(trace, title="groot")
    assert stored["opening"] == ""
    stored = json.loads(json.dumps(stored["trace"], allow_nan=False))
    assert stored["edits"] == json.loads(pellucid.edits_to_json([HEAD]))
    for name in ("blocks.0.attn.pattern", "blocks.0.attn.pattern.unedited"):
        np.testing.assert_array_equal(
            read(stored["values"][name], stored["bytes"]), trace[name].values
        )


def test_edits_at_steps_are_those_of_the_first(groot):
    first = pellucid.zero("blocks.0.attn.z", at_steps=[0, 2])
    later = pellucid.zero("blocks.0.mlp.out", at_steps=[1])
    trace = groot.trace(PROMPT, edits=[first, later])
    (said,) = parse_qs(page_data(trace, title="groot")["opening"])["edits"]
    assert pellucid.edits_from_json(said) == (pellucid.zero("blocks.0.attn.z"),)
    generated = replace(trace, written=(0, 0, 1, 2))
    with pytest.raises(PellucidError, match="single steps of a generation"):
        page_data(generated, title="groot")


def test_targets_before_the_last_are_none_that_a_page_could_open_with(groot):
    trace = groot.trace(PROMPT, target="groot")
    several = replace(trace, targets=(3, *trace.targets[1:]))
    assert page_data(several, title="groot")["opening"] == ""
