"""The engine in the page is held to the NumPy engine: every tensor, and how each was made."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import pellucid
from hatch_build import npm_command
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
    return folder


def test_every_tensor_and_every_explanation_is_the_same_in_the_browser(fixtures):
    npm, path = npm_command()
    environment = {**os.environ, "PATH": path, "PELLUCID_FIXTURES": str(fixtures)}
    command = [*npm, "exec", "--", "vitest", "run", "tests/parity.test.ts"]
    ran = subprocess.run(
        command, cwd=WEB, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
