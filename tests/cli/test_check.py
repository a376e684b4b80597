"""`pellucid check`."""

import json

import pytest

from pellucid.ops.relu import Relu

GROOT = ("baby-groot", "i am groot")


def test_a_sound_model_holds(run):
    outcome = run("check", *GROOT)
    assert outcome.code == 0
    assert "Every check holds, on 56 tensors" in outcome.out
    for check in ("worked out again", "gradient worked out", "finite differences", "rows sum to 1"):
        assert check in outcome.out
    assert all(len(line) <= 80 for line in outcome.out.splitlines())


def test_a_single_token_has_no_next_one(run):
    outcome = run("check", "baby-groot", "")
    assert outcome.code == 0
    assert "finite differences" not in outcome.out
    assert "finite differences" in run("check", "baby-groot", "", "--target", "i").out


def test_ids_instead_of_a_prompt(run):
    assert run("check", "lesson-3", "--random", "0", "--ids", "1,2,3", "--cells", "2").code == 0


def test_cells_are_as_many_as_asked_for(run):
    def cells(*more):
        found = json.loads(run("check", *GROOT, "--json", *more).out)["findings"]
        return {f["tensor"]: f["cells"] for f in found if f["check"] == "worked out again"}

    assert max(cells("--cells", "2").values()) == 2
    assert cells("--all-cells")["logits"] == 4 * 24


def test_json_lists_every_finding(run):
    found = json.loads(run("check", *GROOT, "--json").out)
    assert found["holds"] is True
    assert all(each["holds"] and 0 <= each["worst"] <= 1 for each in found["findings"])


def test_the_seed_decides_what_is_looked_at(run):
    one, again = (run("check", *GROOT, "--seed", "1", "--cells", "2").out for _ in range(2))
    assert one == again != run("check", *GROOT, "--seed", "2", "--cells", "2").out


@pytest.fixture
def a_fault(monkeypatch):
    """ReLU's backward pass with the wrong sign."""

    def backward(self, grad, inputs, parameters, output, extras):
        return (-grad * (output > 0),), ()

    monkeypatch.setattr(Relu, "backward", backward)


@pytest.mark.usefixtures("a_fault")
def test_a_fault_ends_with_1_and_the_first_tensor_that_fails(run):
    outcome = run("check", *GROOT)
    assert outcome.code == 1
    assert outcome.out.startswith("The first that fails: blocks.0.mlp.pre[")
    assert "What does not hold" in outcome.out
    data = run("check", *GROOT, "--json")
    found = json.loads(data.out)
    assert (data.code, found["holds"]) == (1, False)
    first = next(each for each in found["findings"] if not each["holds"])
    assert (first["tensor"], first["check"]) == ("blocks.0.mlp.pre", "gradient worked out again")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("baby-groot", "i am gruut"), '"gruut" is not in this vocabulary'),
        (("baby-groot", "i", "--cells", "0"), "--cells"),
        (("gpt2", "hello"), "gpt2"),
        (("baby-groot", "i am", "--target", "i am"), "is 2 tokens"),
    ],
)
def test_bad_input_is_refused_in_one_line(refused, arguments, said):
    assert said in refused("check", *arguments)
