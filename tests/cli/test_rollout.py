"""`pellucid rollout`."""

import json

import pellucid
from pellucid.cli.models import open_model

GROOT = ("baby-groot", "i am groot")


def test_shares_are_printed_with_their_tokens(run):
    outcome = run("rollout", *GROOT)
    assert outcome.code == 0
    assert "Attention rollout after block 0" in outcome.out
    rolled = pellucid.rollout(open_model("baby-groot").trace("i am groot"))
    assert f"{rolled.values[0, 3, 1]:.3f}" in outcome.out


def test_json_is_what_python_gives(run):
    found = json.loads(run("rollout", *GROOT, "--residual", "0.25", "--json").out)
    rolled = pellucid.rollout(open_model("baby-groot").trace("i am groot"), residual=0.25)
    assert found == rolled.to_dict()


def test_what_is_not_there_is_said(refused):
    assert "block=3 is out of range" in refused("rollout", *GROOT, "--block", "3")
    assert "is no share" in refused("rollout", *GROOT, "--residual", "2")
