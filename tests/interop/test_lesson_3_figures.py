"""The reproduction of the decoder-only stack, against figures with more digits than are printed."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.interop.lesson_3_figures import (
    EXERCISES,
    PRINTED_IDS,
    Figure,
    Variation,
    reproduce,
)

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "lesson_3.json").read_text())


@pytest.fixture(scope="module")
def found():
    return [reproduce(variation) for variation in EXERCISES]


def test_the_exercises_are_the_references(found):
    for ours, theirs in zip(found, REFERENCE, strict=True):
        assert ours.ids.tolist() == theirs["ids"]
        assert ours.logits[0, 0, :5].round(6).tolist() == theirs["logits_0_0_first5"]
        assert ours.logits.argmax(axis=-1).tolist() == theirs["argmax"]
        assert ours.logits.sum() == pytest.approx(theirs["sum"], abs=1e-8)


def test_every_printed_figure_agrees(found):
    assert all(each.agrees for each in found)
    assert [len(each.compared) for each in found] == [22, 19, 22, 16]


def test_what_is_not_printed_is_not_compared(found):
    _, deeper, _, tied = found
    assert {f.name for f in deeper.figures if f.agrees is None} == {
        "ids",
        "next",
        *(f"logits[0, 0, {i}]" for i in range(5)),
    }
    assert {f.name for f in tied.figures if f.agrees is None} == {
        "next",
        *(f"logits[0, 0, {i}]" for i in range(5)),
    }


def test_stages_follow_the_text_through_the_stack(found):
    _, deeper, batch, _ = found
    assert [s.tensor for s in deeper.stages][4:10] == [f"blocks.{i}.resid_post" for i in range(6)]
    shapes = {stage.tensor: (stage.dims, stage.shape.ours) for stage in batch.stages}
    assert shapes["ids"] == (("batch", "position"), (4, 8))
    assert shapes["embed.positions"] == (("position", "d_model"), (8, 64))
    assert shapes["final_norm"] == (("batch", "position", "d_model"), (4, 8, 64))
    assert shapes["logits"] == (("batch", "position", "vocab"), (4, 8, 24))


def test_the_same_ids_can_be_read_by_any_stack():
    deeper = reproduce(Variation(n_layer=6, same_ids=True))
    assert tuple(deeper.ids[0].tolist()) == PRINTED_IDS
    assert deeper.agrees
    # Its parameters are the same ones as with ids of its own: only what is read differs.
    own = reproduce(Variation(n_layer=6))
    assert not np.array_equal(deeper.logits, own.logits)


def test_a_figure_agrees_when_it_rounds_to_what_is_printed():
    figure = Figure("score", (0.25,), (0.2549,), 2)
    assert figure.agrees
    assert figure.difference == pytest.approx(0.0049)
    assert replace(figure, ours=(0.2551,)).agrees is False
    assert replace(figure, printed=None).agrees is None
    assert replace(figure, printed=None).difference is None
    longer = replace(figure, ours=(0.25, 0.25))
    assert (longer.agrees, longer.difference) == (False, float("inf"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"n_layer": 0}, "0 blocks"),
        ({"n_layer": 10**9}, "both must be 1 to 1000"),
        ({"batch": 10**9}, "both must be 1 to 1000"),
        ({"batch": 0}, "a batch of 0"),
        ({"batch": 2, "same_ids": True}, "a batch of 2 draws its own"),
    ],
)
def test_impossible_variations_are_refused(changes, said):
    with pytest.raises(PellucidError, match=said):
        Variation(**changes)


def test_a_variation_says_what_is_changed():
    assert [each.title for each in EXERCISES] == [
        "as printed",
        "6 blocks",
        "a batch of 4",
        "the head tied to the token embedding",
    ]
    assert Variation(n_layer=1, batch=2).title == "1 block, a batch of 2"
