"""`pellucid lens`."""

import json

import pellucid
from pellucid.cli.models import open_model

GROOT = ("baby-groot", "i am groot")


def test_every_place_is_printed_with_what_it_would_say(run):
    outcome = run("lens", *GROOT, "--follow", "tree")
    assert outcome.code == 0
    reading = pellucid.lens(pellucid.load("baby-groot"), "i am groot")
    for place in reading.place_words:
        assert f"  {place}  " in outcome.out
    assert "<END> 100.0%" in outcome.out
    assert "tree" in outcome.out
    assert "has no final norm" in " ".join(outcome.out.split())
    assert max(map(len, outcome.out.splitlines())) <= 80


def test_another_position_is_read_by_its_token(run):
    assert "Guesses after “<START> i”" in run("lens", *GROOT, "--position", "i").out
    assert "Guesses after “<START> i am”" in run("lens", *GROOT, "--position", "-2").out


def test_blocks_alone_are_fewer(run):
    out = run("lens", *GROOT, "--blocks").out
    assert "block 0" in out
    assert "0 attention" not in out


def test_json_is_what_python_gives(run):
    found = json.loads(run("lens", *GROOT, "--follow", "tree", "--json").out)
    reading = pellucid.lens(open_model("baby-groot"), "i am groot", follow=["tree"])
    assert found == json.loads(json.dumps(reading.to_dict()))


def test_what_cannot_be_read_is_said(refused):
    assert "is not in this vocabulary" in refused("lens", "baby-groot", "i am nobody")
    assert 'no "tree" along position' in refused("lens", *GROOT, "--position", "tree")


def test_an_edited_run_says_so(run):
    edit = "zero blocks.0.attn.out"
    outcome = run("lens", *GROOT, "--edit", edit)
    assert outcome.code == 0
    assert "Edited: zero blocks.0.attn.out." in " ".join(outcome.out.split())
    assert "Edited:" in run("heads", "baby-groot", "groot am groot", "--edit", edit).out
    assert "Edited:" in run("rollout", *GROOT, "--edit", edit).out
