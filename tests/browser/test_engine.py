"""The engine in the page is held to the NumPy engine: every tensor, and how each was made."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid
from hatch_build import npm_command
from pellucid.errors import PellucidError
from tests.browser.fixtures import write_fixture, write_kinds
from tests.small_models import OPTIONS, WORDS, small_model

EDITS = [
    pellucid.zero("blocks.0.attn.pattern", query="am", key=0),
    pellucid.mask_attention(query="groot", key=["i", 0]),
    pellucid.set_to("embed.out", [0.5, -0.25], position=[1, -1], d_model=2),
    pellucid.set_to("blocks.0.mlp.pre", np.linspace(-1, 1, 16), position="groot"),
    pellucid.scale("blocks.0.attn.masked_scores", 1.5, query=slice(1, 3)),
    pellucid.add("blocks.0.resid_mid", 0.125),
    pellucid.mean_over("blocks.0.resid_post", "position", d_model=slice(0, 8, 3)),
    pellucid.scale("blocks.0.resid_post", -2, position=0),
    pellucid.zero("blocks.0.attn.w_v", d_model=1),
]
"""One of every kind, on tensors and on a weight, by index, label and span; two on one tensor."""
WITHIN = {
    "as it is": [
        # Of a mean as it is the slope is rounding alone, which no two engines share.
        pellucid.set_to("blocks.0.norm1.mean", 0.25),
        pellucid.add("blocks.1.norm2.mean", 0.125),
        pellucid.scale("blocks.0.norm1.rstd", 1.5),
        pellucid.add("blocks.1.norm2.normalized", 0.5, d_model=[0, 3]),
        pellucid.scale("blocks.0.attn.pattern.max", 0.5, head=1),
        pellucid.add("blocks.1.attn.pattern.sum", 0.125),
        pellucid.mean_over("blocks.0.mlp.post.cdf", "position"),
        pellucid.zero("blocks.0.mlp.post.cdf", position=2),
        pellucid.scale("probs.sum", 2),
        pellucid.add("loss.per_position.log_sum", 0.5, position=0),
    ],
    "like llama 3": [
        pellucid.scale("blocks.0.norm1.rrms", 1.5, position=slice(1, 3)),
        pellucid.zero("blocks.1.norm2.normalized", position=0),
        pellucid.set_to("blocks.0.attn.q_rotated.cos", 0.5, position=2, pair=0),
        pellucid.scale("blocks.0.attn.k_rotated.sin", -1),
        pellucid.scale("blocks.1.mlp.opened.sigmoid", 0.5),
    ],
    "like gemma 3": [
        pellucid.scale("blocks.0.attn.q_norm.rrms", 1.5, head=1),
        pellucid.mean_over("blocks.1.attn.k_norm.normalized", "position"),
        pellucid.add("blocks.0.mlp.opened.sigmoid", 0.25, position=1),
        pellucid.set_to("final_norm.rrms", 0.5),
    ],
}
"""Of what steps keep on the way: of norms, softmax, gates, rotations and the loss, by model."""
PATTERN = "blocks.0.attn.pattern"
ZERO = {"edit": "zero", "name": PATTERN}
SET = {"edit": "set_to", "name": PATTERN}
ARRAY = {"shape": [2], "numbers": [1, 2]}
MASK = {"edit": "mask_attention"}
MASKED: list[dict[str, Any]] = [
    {}, {"query": 0}, {"query": 0, "key": 0}, {"query": 2, "key": 0}, {"query": 2, "key": "i"},
    {"query": 2, "key": [0, 1, 2]}, {"query": None, "key": 0, "layer": 0}, {"key": []},
    {"query": 2, "key": 0, "layer": 1}, {"query": 2, "key": 0, "layer": []},
    {"query": 2, "key": 0, "layer": [0]}, {"query": 2, "key": 0, "layer": "0"},
    {"query": 2, "key": 0, "head": 7}, {"query": 2, "key": 0, "name": PATTERN},
]  # fmt: skip
WRITTEN: list[object] = [
    *({**ZERO, "cell": {"query": place}} for place in (
        0, -1, 4, -5, 0.5, True, None, "am", "oak", "am@2", "am@1", [], [0, 0], [0, -4], ["i", 0],
        [None], {}, {"start": 1, "stop": 3}, {"start": -1, "stop": 0, "step": -2}, {"step": -1},
        {"step": 0}, {"start": 3, "stop": 1}, {"start": 9}, {"stop": -9}, {"start": 0.5},
        {"from": 1},
    )),
    *({**SET, "value": value} for value in (
        0.5, "-Infinity", "abc", "Infinity", None, True, [1], 1e39, -1e39, 3.4e38,
        {"shape": [2], "numbers": [1]}, {"shape": [-1], "numbers": []}, {"shape": [1]},
        {"shape": [1], "numbers": ["-Infinity"]}, {"shape": [1], "numbers": ["a"]},
        {"shape": [1], "numbers": [1e39]}, {"shape": [], "numbers": [1], "of": 1},
    )),
    {**SET, "cell": {"key": [0, 1]}, "value": ARRAY},
    {**SET, "cell": {"key": [0, 1, 2]}, "value": ARRAY},
    {**SET, "cell": {"key": {"start": 1, "stop": None, "step": -1}}, "value": ARRAY},
    SET,
    {**ZERO, "factor": 1},
    {**ZERO, "cell": None},
    {**ZERO, "cell": {"vocab": 0}},
    {"edit": "zero"},
    {"edit": "zero", "name": "nothing"},
    {"edit": "zero", "name": 1},
    {"edit": "scale", "name": PATTERN},
    {"edit": "scale", "name": PATTERN, "factor": "2"},
    {"edit": "scale", "name": PATTERN, "factor": 1e39},
    {"edit": "scale", "name": PATTERN, "factor": -2},
    {"edit": "mean_over", "name": PATTERN, "dim": "key"},
    {"edit": "mean_over", "name": PATTERN, "dim": "vocab"},
    {"edit": "mean_over", "name": PATTERN},
    {"edit": "copy_from", "name": PATTERN, "value": 1},
    {"edit": "copy_from", "name": PATTERN, "cell": {"key": [0, 1]}, "value": ARRAY},
    {"edit": "zero", "name": "head.b", "cell": {"vocab": "groot"}},
    {"edit": "zero", "name": "embed.position", "cell": {"position": "am"}},
    *({**MASK, **places} for places in MASKED),
    {"edit": "set_to", "name": "blocks.0.attn.scores", "cell": {"query": 1}, "value": "-Infinity"},
    {"edit": "explode"},
    {},
    None,
    [],
]  # fmt: skip
"""What may stand in a list of edits, in JSON: some are edits, and some are none."""
WEB = Path(__file__).parents[2] / "web"


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("fixtures")
    for name in OPTIONS:
        model = small_model(name, dtype="float32", tokenizer=WORDS)
        write_fixture(folder, name, model, [1, 4, 7, 4, 9, 3])
        if name in WITHIN:
            write_fixture(folder, f"{name}, edited", model, [1, 4, 7, 4, 9, 3], WITHIN[name])
    groot = pellucid.load("baby-groot")
    ids = list(groot.trace("i am groot").ids)
    write_fixture(folder, "baby-groot", groot, ids)
    write_fixture(folder, "baby-groot, edited", groot, ids, EDITS)
    write_kinds(folder)
    write_verdicts(folder, groot, ids)
    return folder


def write_verdicts(folder, model, ids) -> None:
    """What may stand for an edit, and whether Python takes it."""
    verdicts = [{"edit": edit, "taken": is_taken(model, ids, edit)} for edit in WRITTEN]
    assert {each["taken"] for each in verdicts} == {True, False}
    (folder / "verdicts.json").write_text(json.dumps(verdicts))


def is_taken(model, ids, edit) -> bool:
    try:
        model.trace(ids=ids, edits=pellucid.edits_from_json(json.dumps([edit])))
    except PellucidError:
        return False
    return True


def test_every_tensor_and_every_explanation_is_the_same_in_the_browser(fixtures):
    npm, path = npm_command()
    environment = {**os.environ, "PATH": path, "PELLUCID_FIXTURES": str(fixtures)}
    command = [*npm, "exec", "--", "vitest", "run", "tests/parity.test.ts"]
    ran = subprocess.run(
        command, cwd=WEB, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
