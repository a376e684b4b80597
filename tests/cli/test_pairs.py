"""`pellucid pairs`: two prompts of one model, side by side."""

import json
import re

import numpy as np
import pytest

import pellucid

A, B = "i am groot", "i am tree"


def test_without_a_name_it_tells_of_tokens_steps_and_what_comes_next(run):
    outcome = run("pairs", "baby-groot", A, B)
    assert outcome.code == 0
    assert outcome.out.startswith("a “<START> i am groot” and b “<START> i am tree”: 3 of 4 places")
    for title in ("Tokens side by side", "How far each step moved", "What comes next: KL(a ‖ b)"):
        assert f"\n{title}" in outcome.out
    assert "groot → tree" in outcome.out


def test_a_named_tensor_is_shown_of_both_with_the_difference(run):
    outcome = run("pairs", "baby-groot", A, B, "--show", "pattern", "--show", "embed.out")
    assert outcome.code == 0
    assert outcome.out.count("\nb − a\n") == 2
    assert "Tokens side by side" not in outcome.out


def test_json_has_every_number(run):
    data = json.loads(run("pairs", "baby-groot", A, B, "--json").out)
    found = pellucid.pair(pellucid.load("baby-groot"), A, B)
    assert data["divergences"] == list(found.divergences)
    (pattern,) = json.loads(run("pairs", "baby-groot", A, B, "--show", "pattern", "--json").out)
    paired = found["blocks.0.attn.pattern"]
    assert np.array_equal(pattern["a"]["values"], paired.a.values)
    assert np.array_equal(pattern["b - a"]["values"], paired.difference.values)
    assert pattern["b"]["labels"]["key"] == list(paired.b.labels["key"])


def test_ids_instead_of_texts(run):
    data = json.loads(run("pairs", "baby-groot", "--ids", "1,11,3", "--ids", "1 3", "--json").out)
    assert (data["a"]["ids"], data["b"]["ids"]) == ([1, 11, 3], [1, 3])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((A,), "Give two prompts"),
        ((), "Give two prompts"),
        ((A, B, "--ids", "1", "--ids", "2"), "Give two prompts"),
        (("--ids", "1,2"), "--ids twice"),
        ((A, "i am gruut"), 'b cannot be read: .*"gruut"'),
        ((A, B, "--show", "embed.ot"), "Did you mean"),
        ((A, B, "--show", "token_embedding"), '"token_embedding"'),
    ],
)
def test_what_cannot_be_paired_is_refused(refused, arguments, said):
    assert re.search(said, refused("pairs", "baby-groot", *arguments))
