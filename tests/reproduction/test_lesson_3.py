"""The decoder-only stack, to the last digit that its lesson prints."""

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from pellucid.interop import seeds
from pellucid.text.batches import NO_TARGET

CASES = json.loads((Path(__file__).parents[1] / "data" / "lesson_3.json").read_text())


@pytest.fixture(params=CASES, ids=["as printed", "six blocks", "a batch of four", "tied head"])
def case(request):
    return request.param


def build(case):
    """The model, the ids that the lesson draws after it, and their logits."""
    model, rng = seeds.lesson_3(
        case["seed"],
        vocab_size=case["V"],
        block_size=case["block_size"],
        n_layer=case["n_layer"],
        n_embd=case["C"],
        n_head=case["h"],
        tied_head=case["tied"],
    )
    ids = rng.integers(0, case["V"], size=(case["B"], case["T"]))
    return model, ids, model.logits(ids)


def test_the_four_cases_are_the_lesson_and_its_three_exercises():
    variations = [(case["n_layer"], case["B"], case["tied"]) for case in CASES]
    assert variations == [(2, 1, False), (6, 1, False), (2, 4, False), (2, 1, True)]


def test_ids(case):
    _, ids, _ = build(case)
    assert ids.tolist() == case["ids"]


def test_logits_to_the_printed_digits(case):
    _, _, logits = build(case)
    assert logits.dtype == np.float64
    assert logits.shape == (case["B"], case["T"], case["V"])
    assert np.round(logits[0, 0, :5], 6).tolist() == case["logits_0_0_first5"]


def test_likeliest_tokens(case):
    _, _, logits = build(case)
    assert logits.argmax(axis=-1).tolist() == case["argmax"]


def test_sum_of_the_logits(case):
    _, _, logits = build(case)
    assert logits.sum() == pytest.approx(case["sum"], abs=1e-8, rel=0)


def test_loss_of_the_next_tokens(case):
    model, ids, _ = build(case)
    targets = np.full(ids.shape, NO_TARGET)
    targets[:, :-1] = ids[:, 1:]
    loss = model.loss(ids, targets)
    assert loss == pytest.approx(case["next_token_cross_entropy"], abs=1e-8, rel=0)


def test_two_runs_are_the_same_bytes(case):
    assert build(case)[2].tobytes() == build(case)[2].tobytes()


def test_another_process_gives_the_same_bytes():
    script = """
from hashlib import sha256
from pellucid.interop import seeds
model, rng = seeds.lesson_3()
print(sha256(model.logits(rng.integers(0, 24, size=(1, 8))).tobytes()).hexdigest())
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == sha256(build(CASES[0])[2].tobytes()).hexdigest()
