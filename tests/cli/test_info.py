"""`pellucid info`."""

import json

import pytest

from pellucid.cli.models import open_model
from pellucid.trace.budget import trace_bytes


@pytest.mark.parametrize(("preset", "count"), [("baby-groot", 968), ("gpt2", 124_439_808)])
def test_the_number_of_parameters(run, preset, count):
    assert json.loads(run("info", preset, "--json").out)["n_parameters"] == count
    outcome = run("info", preset)
    assert outcome.code == 0
    assert f"{preset}: {count:,} parameters" in outcome.out


def test_parameters_are_those_of_the_model(run):
    found = json.loads(run("info", "baby-groot", "--json").out)["parameters"]
    model = open_model("baby-groot", random=0)
    assert {each["name"]: tuple(each["shape"]) for each in found} == {
        name: values.shape for name, values in model.parameters.items()
    }
    assert sum(each["numbers"] for each in found) == 968


def test_a_full_trace_and_the_weights_take_what_is_said(run):
    found = json.loads(run("info", "lesson-3", "--dtype", "float64", "--json").out)
    model = open_model("lesson-3", random=0, dtype="float64")
    assert found["weight_bytes"] == sum(values.nbytes for values in model.parameters.values())
    for each in found["passes"]:
        assert each["trace_memory_bytes"] == trace_bytes(model.graph, each["positions"], "float64")
        assert each["flops"] == model.graph.flops(each["positions"])


def test_a_folder_is_described_as_it_is_stored(run, tmp_path):
    folder = open_model("baby-groot", random=0, dtype="float64").save(tmp_path / "double")
    found = json.loads(run("info", str(folder), "--json").out)
    assert (found["dtype"], found["weight_bytes"]) == ("float64", 968 * 8)


def test_a_preset_needs_no_weights(run, monkeypatch):
    def draw(*_, **__):
        raise AssertionError("weights were made")

    monkeypatch.setattr("pellucid.model.model.initialise", draw)
    assert run("info", "gpt2-xl").code == 0


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("config.json", None, "config.json is missing"),
        ("config.json", b"{", "config.json is not JSON"),
        ("config.json", b"[]", "config.json does not hold a model config"),
        (
            "config.json",
            b'{"vocab_size": 24, "block_size": 4, "n_layer": 1, "n_head": 3, "n_embd": 10}',
            "n_embd=10 does not divide into n_head=3 heads",
        ),
        (
            "config.json",
            b'{"vocab_size": 24, "block_size": 4, "n_layer": -1, "n_head": 1, "n_embd": 8}',
            "n_layer=-1 is not a positive whole number",
        ),
        (
            "config.json",
            b'{"vocab_size": 24, "block_size": 4, "n_layers": 1, "n_head": 1, "n_embd": 8}',
            'no field "n_layers". Did you mean n_layer',
        ),
        (
            "config.json",
            b'{"vocab_size": 24, "block_size": 4, "n_layer": 1, "n_head": 1}',
            "missing required field `n_embd`",
        ),
        ("model.safetensors", None, "model.safetensors is missing"),
        ("model.safetensors", b"", "model.safetensors is damaged"),
        ("model.safetensors", b"not tensors at all", "model.safetensors is damaged"),
    ],
)
def test_a_folder_that_is_no_model_is_refused_in_one_line(refused, folder, file, content, said):
    (folder / file).unlink() if content is None else (folder / file).write_bytes(content)
    assert said in refused("info", str(folder))


def test_truncated_weights_are_refused(refused, folder):
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    assert "model.safetensors is damaged" in refused("info", str(folder))


def test_weights_of_another_shape_are_refused(refused, folder, tmp_path):
    other = open_model("lesson-3", random=0).save(tmp_path / "other")
    (folder / "model.safetensors").write_bytes((other / "model.safetensors").read_bytes())
    assert "token_embedding is [24, 64], but this model's is [24, 8]" in refused(
        "info", str(folder)
    )


@pytest.mark.parametrize("name", ["nowhere", "gpt9"])
def test_an_unknown_model_is_refused(refused, name):
    assert f'There is no model "{name}"' in refused("info", name)


def test_a_file_is_no_model(refused, folder):
    assert "is a file; a model is a folder" in refused("info", str(folder / "config.json"))
