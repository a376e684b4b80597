"""`pellucid import`."""

import json

import numpy as np
import torch

import pellucid
from tests.interop import test_checkpoints as checkpoints
from tests.interop.huggingface import tiny_models as tiny


def test_a_hugging_face_folder_becomes_one_of_ours(run, tmp_path):
    tiny.make("gpt2", tmp_path / "theirs")
    outcome = run("import", str(tmp_path / "theirs"), str(tmp_path / "ours"))
    assert outcome.code == 0
    assert "42,176 parameters in float32, without a tokenizer" in outcome.out
    theirs, ours = pellucid.load(tmp_path / "theirs"), pellucid.load(tmp_path / "ours")
    assert ours.config == theirs.config
    ids = tiny.random_ids(1, 9)
    assert np.array_equal(ours.logits(ids), theirs.logits(ids))
    assert run("generate", str(tmp_path / "ours"), "--ids", "1,2,3").code == 0


def test_a_checkpoint_becomes_one_of_ours(run, tmp_path):
    gpt = checkpoints.GPT(mask=True, tied=False, gelu=checkpoints.gelu_tanh)
    path = tmp_path / "model.pt"
    torch.save(gpt.state_dict(), path)
    outcome = run("generate", str(path), "--ids", "1")
    assert outcome.code == 2
    assert f"pellucid import {path} OUT" in outcome.err
    out = tmp_path / "out"
    assert "--heads" in run("import", str(path), str(out)).err
    assert not out.exists()
    outcome = run("import", str(path), str(out), "--heads", "2", "--dtype", "float64")
    assert "in float64" in outcome.out
    checkpoints.assert_same(pellucid.load(out), gpt)


def test_heads_are_for_checkpoints(run, tmp_path):
    tiny.make("gpt2", tmp_path / "theirs")
    outcome = run("import", str(tmp_path / "theirs"), str(tmp_path / "ours"), "--heads", "2")
    assert outcome.code == 2
    assert "n_head" in outcome.err


def test_nothing_is_written_over(run, tmp_path):
    tiny.make("gpt2", tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    outcome = run("import", str(tmp_path), str(tmp_path))
    assert outcome.code == 2
    assert "is there already" in outcome.err
    assert run("import", str(tmp_path), str(tmp_path / "config.json")).code == 2
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_what_is_not_there(run, tmp_path):
    outcome = run("import", str(tmp_path / "nothing"), str(tmp_path / "out"))
    assert outcome.code == 2
    assert "There is no model" in outcome.err
    assert not (tmp_path / "out").exists()


def test_a_foreign_folder_is_described_without_widening_it(run, tmp_path, monkeypatch):
    tiny.make("llama", tmp_path, dtype=torch.bfloat16)

    def widened(array):
        assert array.ndim == 1, "a whole matrix was widened"
        return array.view("<u2").astype(np.float32)

    monkeypatch.setattr("pellucid.interop.huggingface.folder.widened", widened)
    found = json.loads(run("info", str(tmp_path), "--json").out)
    assert found["dtype"] == "float32"
    assert found["n_parameters"] == pellucid.load(tmp_path, widen="on use").n_parameters
    double = json.loads(run("info", str(tmp_path), "--json", "--dtype", "float64").out)
    assert double["weight_bytes"] == 2 * found["weight_bytes"]
