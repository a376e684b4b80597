"""`pellucid reproduce`."""

import json

import pytest

from pellucid.interop import lesson_3_figures


def variations(outcome):
    return [each["variation"] for each in json.loads(outcome.out)["lesson-3"]]


@pytest.fixture
def without_torch(monkeypatch):
    """As where PyTorch is not installed: the module is not found."""
    monkeypatch.setattr("pellucid.engine.find_torch.find_spec", lambda name: None)


def test_the_lesson_its_exercises_and_the_notebooks_ten_losses_agree(run):
    outcome = run("reproduce")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.index("after block 6") < outcome.out.index("All 10 losses agree")
    assert "0.7263768" in outcome.out
    assert "93.99 %" in outcome.out
    assert all(len(line) <= 80 for line in outcome.out.splitlines())


def test_json_of_the_notebooks_training(run):
    found = json.loads(run("reproduce", "baby-groot", "--json").out)
    assert found["lesson-3"] == []
    trained = found["baby-groot"]
    assert (trained["threads"], trained["agrees"], len(trained["losses"])) == (2, True, 10)
    assert trained["losses"][9]["printed"] == [0.7264]
    assert trained["texts"]["i am"] == "i am groot"


def test_without_torch_the_lesson_is_still_reproduced(run, without_torch):
    outcome = run("reproduce")
    assert outcome.code == 0
    assert outcome.out.count("printed figures agree.") == 4
    assert "pip install 'pellucid[torch]'" in outcome.out
    assert json.loads(run("reproduce", "--json").out)["baby-groot"] is None


@pytest.mark.parametrize("arguments", [(), ("--threads", "1")])
def test_without_torch_what_needs_it_is_refused(refused, without_torch, arguments):
    assert "This training needs PyTorch" in refused("reproduce", "baby-groot", *arguments)


def test_the_lesson_and_its_exercises_agree(run):
    outcome = run("reproduce", "lesson-3")
    assert outcome.code == 0
    assert "BabyGroot" not in outcome.out
    assert outcome.out.count("printed figures agree.") == 4
    assert "-0.125102" in outcome.out
    assert "after block 6" in outcome.out


def test_json_of_all_four(run):
    found = json.loads(run("reproduce", "lesson-3", "--json").out)["lesson-3"]
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
    found = variations(run("reproduce", "lesson-3", "--same-ids", "--json"))
    assert [each["same_ids"] for each in found] == [True, True, False, True]


def test_a_figure_that_does_not_agree_ends_with_1(run, monkeypatch):
    monkeypatch.setattr(lesson_3_figures, "PRINTED_CHOICES", (5, 19, 20, 23, 7, 12, 10, 11))
    outcome = run("reproduce", "lesson-3")
    assert outcome.code == 1
    assert "1 of 22 printed figures do not agree: next." in outcome.out
    assert "1e+00, wrong" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--blocks", "0"), "0 blocks"),
        (("--batch", "-1"), "a batch of -1"),
        (("--batch", "4", "--same-ids"), "a batch of 4 draws its own"),
        (("baby-grot",), "Did you mean baby-groot?"),
        (("baby-groot", "--tied"), "--tied and --same-ids are of lesson-3"),
        (("lesson-3", "--threads", "2"), "lesson-3 trains nothing"),
        (("baby-groot", "--threads", "0"), "threads=0"),
    ],
)
def test_an_impossible_variation_is_refused(refused, arguments, said):
    assert said in refused("reproduce", *arguments)
