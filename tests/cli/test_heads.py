"""`pellucid heads`."""

import json

import pellucid
from pellucid.cli.models import open_model


def test_the_clearest_heads_of_a_random_model_are_printed(run):
    outcome = run("heads", "nano", "--random", "0", "--texts", "1", "--length", "5")
    assert outcome.code == 0
    assert "5 random tokens and the same 5 again, drawn once" in " ".join(outcome.out.split())
    assert "induction" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80


def test_all_shares_where_they_are_asked_for(run):
    few, every = (
        run("heads", "baby-groot", "groot am groot", *more).out for more in ([], ["--all"])
    )
    assert "Previous token" not in few
    assert "Previous token" in every


def test_json_is_what_python_gives(run):
    found = json.loads(run("heads", "baby-groot", "groot am groot", "--json").out)
    summary = pellucid.heads(open_model("baby-groot"), "groot am groot")
    assert found == json.loads(json.dumps(summary.to_dict()))


def test_a_context_that_is_too_short_asks_for_a_text(refused):
    assert "Give a text of your own" in refused("heads", "baby-groot")
    assert "is no share" in refused("heads", "baby-groot", "i am", "--threshold", "2")
