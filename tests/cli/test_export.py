"""`pellucid export`."""

import json

import numpy as np

import pellucid
from tests.interop.huggingface import tiny_models as tiny


def test_a_folder_that_transformers_opens(run, tmp_path):
    outcome = run("export", "nano", str(tmp_path / "out"), "--random", "3")
    assert outcome.code == 0
    assert outcome.out == (
        f"{tmp_path / 'out'}: 813,824 parameters as gpt2 in float32, without a tokenizer\n"
    )
    ids = tiny.random_ids(1, 20)
    ours = pellucid.load(tmp_path / "out")
    theirs = tiny.logits_of(tiny.reopened(tmp_path / "out"), ids)
    assert np.abs(ours.logits(ids) - theirs).max() <= 1e-4 * np.abs(theirs).max()


def test_a_run_is_written_with_its_tokenizer(run, tmp_path):
    (tmp_path / "text.txt").write_text("the sun is warm and the moon is cold " * 30)
    trained = run(
        *("train", str(tmp_path / "text.txt"), "--preset", "nano", "--out", str(tmp_path / "run")),
        *("--steps", "1", "--block-size", "8"),
    )
    assert trained.code == 0, trained.err
    outcome = run("export", str(tmp_path / "run"), str(tmp_path / "out"))
    assert "as gpt2 in float32, with a tokenizer" in outcome.out
    texts = [run("generate", str(tmp_path / name), "the sun").out for name in ("run", "out")]
    assert texts[0] == texts[1]


def test_as_a_family_by_its_name(run, refused, tmp_path):
    tiny.make("llama", tmp_path / "llama")
    source, out = str(tmp_path / "llama"), str(tmp_path / "out")
    outcome = run("export", source, out, "--family", "mistral", "--dtype", "float64", "--json")
    assert json.loads(outcome.out) == {"folder": out, "model_type": "mistral", "zero_biases": []}
    said = json.loads((tmp_path / "out" / "config.json").read_text())
    assert (said["model_type"], said["dtype"]) == ("mistral", "float64")
    assert "as gpt2: it has no norm='rms'" in refused(
        "export", source, str(tmp_path / "other"), "--family", "gpt2"
    )


def test_biases_that_are_added_are_named(run, tmp_path):
    config = pellucid.ModelConfig(
        vocab_size=9, block_size=8, n_layer=1, n_head=1, n_embd=4, attention_bias=False
    )
    pellucid.Model.from_config(config).save(tmp_path / "ours")
    outcome = run("export", str(tmp_path / "ours"), str(tmp_path / "out"))
    assert "Biases of zero were added, as gpt2 has them: attention_bias.\n" in outcome.out


def test_what_has_no_home(refused, tmp_path):
    said = refused("export", "baby-groot", str(tmp_path / "out"))
    assert "no attention_output=False, no head_bias=True" in said
    assert not (tmp_path / "out").exists()


def test_nothing_is_written_over(refused, tmp_path):
    (tmp_path / "mine").write_text("")
    assert "is there already" in refused("export", "nano", str(tmp_path), "--random", "0")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
