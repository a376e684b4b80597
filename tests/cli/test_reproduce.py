"""`pellucid reproduce`."""

import json

import pytest

from pellucid.interop import lesson_3_figures


def variations(outcome):
    return [each["variation"] for each in json.loads(outcome.out)]


def test_the_lesson_and_its_exercises_agree(run):
    outcome = run("reproduce")
    assert outcome.code == 0
    assert outcome.out.count("printed figures agree.") == 4
    assert "-0.125102" in outcome.out
    assert "after block 6" in outcome.out


def test_json_of_all_four(run):
    found = json.loads(run("reproduce", "--json").out)
    assert all(each["agrees"] for each in found)
    assert [len(each["ids"]) for each in found] == [1, 1, 4, 1]
    stage = next(each for each in found[0]["stages"] if each["tensor"] == "embed.out")
    assert stage["dims"] == ["batch", "position", "d_model"]
    assert stage["ours"] == stage["printed"] == [1, 8, 64]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--blocks", "6"), {"n_layer": 6}),
        (("--batch", "4"), {"batch": 4}),
        (("--tied",), {"tied_head": True}),
        (("--blocks", "3", "--tied"), {"n_layer": 3, "tied_head": True}),
        (("--blocks", "6", "--same-ids"), {"n_layer": 6, "same_ids": True}),
    ],
)
def test_options_choose_one_variation(run, arguments, expected):
    plain = {"n_layer": 2, "batch": 1, "tied_head": False, "same_ids": False}
    outcome = run("reproduce", *arguments, "--json")
    assert outcome.code == 0
    assert variations(outcome) == [plain | expected]


def test_the_same_ids_alone_are_for_every_exercise_of_one_text(run):
    found = variations(run("reproduce", "--same-ids", "--json"))
    assert [each["same_ids"] for each in found] == [True, True, False, True]


def test_a_figure_that_does_not_agree_ends_with_1(run, monkeypatch):
    monkeypatch.setattr(lesson_3_figures, "PRINTED_CHOICES", (5, 19, 20, 23, 7, 12, 10, 11))
    outcome = run("reproduce")
    assert outcome.code == 1
    assert "1 of 22 printed figures do not agree: next." in outcome.out
    assert "1e+00, wrong" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--blocks", "0"), "0 blocks"),
        (("--batch", "-1"), "a batch of -1"),
        (("--batch", "4", "--same-ids"), "a batch of 4 draws its own"),
    ],
)
def test_an_impossible_variation_is_refused(refused, arguments, said):
    assert said in refused("reproduce", *arguments)
