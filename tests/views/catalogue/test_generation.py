"""The steps of a generation, and how filters lead from logits to a choice."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.views.catalogue import generation
from tests.views.catalogue.given import given, groot, view


def test_each_step_has_a_row_and_its_likeliest_tokens():
    (steps,) = given("steps")
    table, row = view("generation", steps)
    assert [cells[2] for cells in table.rows] == [step.token for step in steps]
    assert [cells[3] for cells in table.rows] == [step.probability for step in steps]
    for step, bars in zip(steps, row.blocks, strict=True):
        assert bars.items == tuple((each.token, each.probability) for each in step.top)
        assert step.token in bars.title


def test_the_best_other_is_the_best_of_those_that_were_not_chosen():
    for step in groot().generate("groot is", temperature=5.0, seed=3, max_new_tokens=4):
        *_, other, share = generation.step_row(step)
        others = np.delete(step.filtered.unfiltered, step.id)
        assert share == others.max()
        assert other != step.token


def test_samples_are_told_apart():
    steps = list(groot().generate("groot", temperature=2.0, samples=2, seed=4))
    for sample in (0, 1):
        table, _ = view("generation", steps, sample=sample)
        own = [step.token for step in steps if step.sample == sample]
        assert [cells[2] for cells in table.rows] == own
    with pytest.raises(PellucidError, match="sample 2"):
        view("generation", steps, sample=2)
    with pytest.raises(PellucidError, match=r"model\.generate"):
        view("ladder", [])


def test_the_ladder_leads_from_the_logits_to_what_was_drawn_from():
    (steps,) = given("steps")
    step = steps[0]
    (row,) = view("ladder", steps, top=6)
    logits, softmax, *rungs = row.blocks
    ids = np.argsort(-step.logits, kind="stable")[:6]
    assert [n for _, n in logits.items] == step.logits[ids].tolist()
    assert [n for _, n in softmax.items] == step.filtered.unfiltered[ids].tolist()
    assert [n for _, n in rungs[-1].items] == step.filtered.probabilities[ids].tolist()
    assert [bars.title for bars in rungs] == [
        "After temperature 1.5",
        "After top-k 6",
        "After top-p 0.95",
    ]
    assert f"Chosen: {step.token}, by the random number" in rungs[-1].note
    names = [[label for label, _ in bars.items] for bars in row.blocks]
    assert all(each == names[0] for each in names)


def test_what_is_never_chosen_is_a_rung_only_where_it_is_shown():
    greedy = list(groot().generate("groot likes"))
    (few,), (all_tokens,) = (view("ladder", greedy, top=top) for top in (3, 24))
    assert "leaving out what is never chosen" not in str(few)
    assert "leaving out what is never chosen" in str(all_tokens)
    assert "the likeliest" in all_tokens.blocks[-1].note


def test_a_step_that_was_not_taken_is_refused():
    (steps,) = given("steps")
    with pytest.raises(PellucidError, match=f"step={len(steps)} is out of range"):
        view("ladder", steps, step=len(steps))
