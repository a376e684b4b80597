"""`pellucid compare`."""

import json

import numpy as np
import pytest

from pellucid.cli.models import open_model

PROMPT = "i am groot"


@pytest.fixture
def double(tmp_path):
    return open_model("baby-groot", random=0, dtype="float64").save(tmp_path / "double")


@pytest.fixture
def trace():
    return open_model("baby-groot", random=0).trace(PROMPT)


def test_two_folders_that_differ_by_rounding_end_with_0(run, folder, double):
    outcome = run("compare", str(folder), str(double), PROMPT)
    assert outcome.code == 0
    assert outcome.out.startswith("Noise: float32 rounding explains every difference.")
    assert run("compare", str(folder), str(folder), PROMPT).out.startswith("Equal: ")
    by_ids = run("compare", str(folder), str(folder), "--ids", "1,11,3,8")
    assert (by_ids.code, by_ids.out[:7]) == (0, "Equal: ")


def test_different_models_end_with_1_and_neither_is_called_wrong(run, folder, tmp_path):
    other = open_model("baby-groot", random=1).save(tmp_path / "other")
    outcome = run("compare", str(folder), str(other), PROMPT)
    assert outcome.code == 1
    assert outcome.out.startswith("Different models: 8 of 18 weight tensors differ (the config ")
    assert "Fault" not in outcome.out
    assert "Weights that differ" in outcome.out
    data = json.loads(run("compare", str(folder), str(other), PROMPT, "--json").out)
    assert (data["verdict"], data["first"], data["faults"]) == ("different", "embed.tokens", [])
    assert (data["different"], data["n_weights"]) == (True, 18)


def test_arrays_of_another_program_by_their_own_names(run, folder, trace, tmp_path):
    theirs, names = tmp_path / "theirs.npz", tmp_path / "names.json"
    scores = trace["blocks.0.attn.scores"].values[0]
    np.savez(theirs, s=scores * 2, logits=trace["logits"].values[None], other=scores)
    names.write_text('{"s": "blocks.0.attn.scores"}')
    outcome = run("compare", str(folder), str(theirs), PROMPT, "--names", str(names))
    assert outcome.code == 1
    assert outcome.out.startswith("Fault: b goes wrong at blocks.0.attn.scores.")
    assert "No tensor of ours has these names: other." in " ".join(outcome.out.split())
    without = run("compare", str(folder), str(theirs), PROMPT)
    assert without.code == 0
    assert "No tensor of ours has these names: s, other." in " ".join(without.out.split())


def test_saved_traces(run, folder, trace, tmp_path):
    path = str(trace.save(tmp_path / "trace.safetensors"))
    assert run("compare", path, path).out.startswith("Equal: ")
    assert run("compare", path, str(folder)).out.startswith("Equal: ")


def test_json_has_every_number(run, folder, double):
    data = json.loads(run("compare", str(folder), str(double), PROMPT, "--json").out)
    assert data["verdict"] == "noise"
    assert data["first"] is None
    assert data["precision"] == "float32"
    logits = next(each for each in data["tensors"] if each["name"] == "logits")
    assert logits["a_step"]["share"] < 1
    assert logits["shape"] == logits["shape_in_b"] == [4, 24]
    assert logits["largest"] == abs(logits["a"] - logits["b"])


def test_json_of_an_infinite_error(run, folder, trace, tmp_path):
    masked = trace["blocks.0.attn.masked_scores"].values.copy()
    masked[0, 1, 2] = 0.5
    np.savez(tmp_path / "theirs.npz", **{"blocks.0.attn.masked_scores": masked})
    outcome = run("compare", str(folder), str(tmp_path / "theirs.npz"), PROMPT, "--json")
    assert outcome.code == 1
    (masked,) = json.loads(outcome.out)["tensors"]
    assert (masked["largest"], masked["a"], masked["b"]) == ("Infinity", "-Infinity", 0.5)
    assert masked["cell"] == {"head": 0, "query": 1, "key": 2}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "names.json cannot be read: No such file or directory"),
        ("[1]", "names.json is no mapping of names to names"),
        ('{"logits": 3}', "names.json is no mapping of names to names"),
        ("{", "names.json is no mapping of names to names"),
        ('{"logit": "logits"}', '"logit", but there is no such array. Did you mean logits?'),
    ],
)
def test_names_that_cannot_be_used_are_refused(refused, folder, trace, tmp_path, content, said):
    theirs, names = tmp_path / "theirs.npz", tmp_path / "names.json"
    np.savez(theirs, logits=trace["logits"].values)
    if content is not None:
        names.write_text(content)
    assert said in refused("compare", str(folder), str(theirs), PROMPT, "--names", str(names))


def test_what_cannot_be_compared_is_refused(refused, folder, trace, tmp_path):
    path = str(trace.save(tmp_path / "trace.safetensors"))
    empty = tmp_path / "empty.npz"
    np.savez(empty)
    assert "nothing for the model to read" in refused("compare", str(folder), str(folder))
    assert 'no model "nowhere"' in refused("compare", str(folder), "nowhere", PROMPT)
    assert "a read 4 tokens and b 3" in refused("compare", path, str(folder), "i am")
    assert "no tensor in common" in refused("compare", path, str(empty))
    assert "give a trace or a model first" in refused("compare", str(empty), path)


EDIT = ("--edit", "zero blocks.0.attn.pattern[query=-1,key=0]")


def test_an_edit_is_made_to_the_second_run(run, folder, tmp_path):
    outcome = run("compare", str(folder), str(folder), PROMPT, *EDIT)
    assert outcome.code == 1
    assert outcome.out.startswith(
        "Edited: in b, zero blocks.0.attn.pattern[query=-1,key=0]. The first tensor to"
    )
    for title in ("How far each step moved", "How far the stream moved", "Before "):
        assert f"\n{title}" in outcome.out
    data = json.loads(run("compare", str(folder), str(folder), PROMPT, *EDIT, "--json").out)
    assert (data["verdict"], data["rerun"]) == ("edited", False)
    again = run("compare", str(folder), str(folder), PROMPT, *EDIT, "--json", "--rerun")
    assert json.loads(again.out)["rerun"]
    same = ("--edit", "scale blocks.0.attn.pattern 1")
    assert run("compare", str(folder), str(folder), PROMPT, *same).code == 0


def test_an_edit_of_what_has_been_run_is_refused(refused, folder, trace, tmp_path):
    path = str(trace.save(tmp_path / "trace.safetensors"))
    assert "give a model as b" in refused("compare", str(folder), path, *EDIT)
