"""`pellucid patch`."""

import json

import pytest

import pellucid
from pellucid.cli.models import open_model

GROOT = ("patch", "baby-groot", "i am groot", "i am tree")
ANSWERS = ("--answer", "<END>", "--against", "groot")


@pytest.fixture(scope="module")
def model():
    return open_model("baby-groot")


def measured(model, **how):
    return pellucid.patch(model, *GROOT[2:], answer=("<END>", "groot"), **how)


def test_shares_and_the_largest_places_are_printed(run, model):
    outcome = run(*GROOT, *ANSWERS)
    assert outcome.code == 0
    assert outcome.err == ""
    assert outcome.out.startswith("Restoring the stream into each block: <END> against groot\n")
    assert "blocks.0 position 3 groot/tree  1.000" in outcome.out
    assert f"{measured(model).clean:.3f}" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("options", "how"),
    [
        ((), {}),
        (("--places", "heads"), {"places": "heads"}),
        (("--places", "mlp", "--at", "groot", "--at", "1"), {"places": "mlp", "positions": [1, 3]}),
        (("--places", "attn.q", "--together"), {"places": "attn.q", "together": True}),
    ],
)
def test_json_is_what_python_gives(run, model, options, how):
    found = json.loads(run(*GROOT, *ANSWERS, *options, "--json").out)
    assert found == json.loads(json.dumps(measured(model, **how).to_dict()))


def test_an_estimate_by_itself_or_beside_what_is_measured(run, model):
    asked = (*GROOT, *ANSWERS, "--places", "mlp")
    estimate = pellucid.attribution_patching(
        model, *GROOT[2:], answer=("<END>", "groot"), places="mlp"
    )
    found = json.loads(run(*asked, "--method", "gradient", "--json").out)
    assert found == json.loads(json.dumps(estimate.to_dict()))
    both = json.loads(run(*asked, "--method", "both", "--json").out)
    agreement = measured(model, places="mlp").agreement(estimate)
    assert both == json.loads(json.dumps(agreement.to_dict()))
    out = run(*asked, "--method", "both").out
    assert "One gradient against 4 places measured: correlation" in " ".join(out.split())


def test_ids_are_read_in_the_place_of_prompts(run, model):
    ids = ("--ids", "1,11,3,8", "--ids", "1 11 3 23")
    found = run("patch", "baby-groot", *ids, "--answer", "2", "--against", "8", "--json")
    right = pellucid.patch(model, [1, 11, 3, 8], [1, 11, 3, 23], answer=(2, 8))
    assert json.loads(found.out) == json.loads(json.dumps(right.to_dict()))


def test_another_engine_finds_the_same(run):
    numpy = run(*GROOT, *ANSWERS, "--dtype", "float64").out
    assert run(*GROOT, *ANSWERS, "--dtype", "float64", "--engine", "torch").out == numpy


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*GROOT[:3], "i am", *ANSWERS), "The clean prompt is 4 tokens, the corrupted one 3"),
        ((*GROOT[:3], *ANSWERS), "Give two prompts, or --ids twice"),
        ((*GROOT, "--answer", "<END>"), "Missing option '--against'"),
        ((*GROOT, *ANSWERS, "--places", "haeds"), "Did you mean heads"),
        ((*GROOT, *ANSWERS, "--method", "run"), '--method "run" is none of runs, gradient, both'),
        ((*GROOT, *ANSWERS, "--at", "4"), "position=4 is out of range"),
        ((*GROOT, "--answer", "grot", "--against", "groot"), "The answer 'grot' cannot be read"),
    ],
)
def test_bad_input_is_refused_in_one_line(refused, arguments, said):
    assert said in refused(*arguments)
