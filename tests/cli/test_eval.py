"""`pellucid eval`."""

import json
from math import exp, log

import numpy as np
import pytest

from pellucid.cli.models import open_model

SENTENCES = "i am groot\nwe are groot\n"


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(SENTENCES, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model():
    return open_model("baby-groot")


def by_hand(model):
    """−ln p of every token but the first, read in windows as long as the context, end to end."""
    tokenizer = model.tokenizer
    ids = [*tokenizer.start, *tokenizer.encode("i am groot we are groot"), *tokenizer.end]
    size = model.config.block_size
    losses = []
    for first in range(0, len(ids) - 1, size):
        # The last window is as long as the others: it begins among tokens that were predicted.
        start = min(first, len(ids) - 1 - size)
        window = ids[start : start + size + 1]
        logits = model.logits(np.array([window[:-1]]))[0].astype(np.float64)
        log_sum = np.log(np.exp(logits).sum(axis=-1))
        found = log_sum - logits[np.arange(size), window[1:]]
        losses += list(found[first - start :])
    return ids, losses


def test_the_measures_are_those_of_the_models_probabilities(run, text, model):
    found = json.loads(run("eval", "baby-groot", str(text), "--json").out)
    ids, losses = by_hand(model)
    assert found["tokens"] == len(ids) - 1
    assert found["nats_per_token"] == pytest.approx(np.mean(losses), rel=1e-5)
    assert found["perplexity"] == pytest.approx(exp(np.mean(losses)), rel=1e-5)
    per_byte = sum(losses) / log(2) / found["bytes"]
    assert found["bits_per_byte"] == pytest.approx(per_byte, rel=1e-5)


def test_the_least_expected_tokens_come_first_with_what_stands_before_them(run, text, model):
    found = json.loads(run("eval", "baby-groot", str(text), "--json", "--worst", "3").out)
    ids, losses = by_hand(model)
    order = np.argsort(-np.array(losses), kind="stable")[:3]
    assert [each["position"] for each in found["worst"]] == [int(i) + 1 for i in order]
    for each in found["worst"]:
        assert each["id"] == ids[each["position"]]
        assert each["before"] == ids[: each["position"]]
        assert each["probability"] == pytest.approx(exp(-each["nats"]))


def test_it_is_said_in_words(run, text):
    data = json.loads(run("eval", "baby-groot", str(text), "--json").out)
    outcome = run("eval", "baby-groot", str(text))
    assert outcome.code == 0
    assert f"{data['nats_per_token']:.4f}" in outcome.out
    assert f"{data['bits_per_byte']:.4f}" in outcome.out
    assert data["worst"][0]["text_before"] in outcome.out
    assert "Least expected" not in run("eval", "baby-groot", str(text), "--worst", "0").out


def test_another_encoding_is_read_where_it_is_named(run, refused, tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes("i am groot\n".encode("utf-16"))
    assert "--encoding" in refused("eval", "baby-groot", str(path))
    assert run("eval", "baby-groot", str(path), "--encoding", "utf-16").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere", "text.txt"), "nowhere"),
        (("baby-groot", "nowhere.txt"), "nowhere.txt"),
        (("baby-groot", "unknown.txt"), "gruut"),
        (("baby-groot", "empty.txt"), "empty.txt"),
        (("gpt2", "text.txt"), "gpt2"),
    ],
)
def test_bad_input_is_refused_in_one_line(refused, text, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "unknown.txt").write_text("i am gruut\n", encoding="utf-8")
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    assert said in refused("eval", *arguments)
