"""The figures of a training as blocks."""

from dataclasses import replace
from math import exp, log

import pytest

from pellucid.text.documents import Document
from pellucid.training.preparation import TextOptions
from pellucid.training.rehearsal import rehearse
from pellucid.views.preflight import preflight_blocks
from pellucid.views.terminal import to_text

TEXT = "the mole sings\nthe toad swims\n" * 20


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.fixture
def figures():
    options = TextOptions(n_layer=1, n_head=1, n_embd=4, block_size=8, batch_size=2, steps=1000)
    return rehearse(Document.of(TEXT), options=options)


def test_the_text_is_counted(figures):
    said = to_text(preflight_blocks(figures), width=100)
    assert f"{len(TEXT):,} in 1 document" in said
    assert f"{figures.tokens:,} (character)" in said
    assert f"{figures.training_tokens:,} tokens" in said


def test_a_baseline_stands_in_nats_bits_and_as_a_choice(figures):
    table = preflight_blocks(figures)[-1]
    names = [row[0] for row in table.rows]
    assert names == ["uniform", "unigram", "bigram"]
    nats = figures.baselines.bigram
    per_byte = nats / log(2) * figures.tokens / len(TEXT.encode())
    assert table.rows[-1][1:4] == (f"{nats:.4f}", f"{per_byte:.4f}", f"{exp(nats):.2f}")


def test_a_narrow_page_holds_it(figures):
    said = to_text(preflight_blocks(figures), width=60)
    assert all(len(line) <= 60 for line in said.splitlines())
    assert f"{figures.baselines.bigram:.4f}" in said


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"engine": "torch"}, "PyTorch on cpu"),
        ({"engine": "torch", "processes": 2}, "on cpu, 2 processes each with the whole model"),
        (
            {"engine": "torch", "processes": 8, "sharding": "full", "device": "NVIDIA H100"},
            "PyTorch on NVIDIA H100, 8 processes with the model divided among them",
        ),
        (
            {"engine": "torch", "processes": 16, "sharding": "hybrid"},
            "16 processes with the model divided within each machine",
        ),
    ],
)
def test_what_pytorch_trains_on_is_said(figures, changes, words):
    assert words in to_text(preflight_blocks(replace(figures, **changes)), width=100)
    assert "PyTorch" not in to_text(preflight_blocks(figures), width=100)
