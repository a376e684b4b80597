"""A run that was stopped, however and wherever, ends with the bytes of one that never was."""

import json
import random
from itertools import count

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.training.threads import blas_threads, pinned
from tests.training.texts import DOCUMENT, SMALL, TEXT

OPTIONS = SMALL | {"steps": 23, "dropout": 0.1, "accumulate": 2, "seed": 4}
STOPPING_POINTS = sorted(random.Random(0).sample(range(1, 23), 10))
COMPARED = ("model.safetensors", "config.json", "tokenizer.json", "metrics.jsonl")


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "small.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def unbroken(text, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "unbroken"
    pellucid.train(text, out=folder, **OPTIONS)
    return folder


def stopper(after):
    """A `stop` that says so after the step of that number."""
    steps = count(1)
    return lambda: next(steps) >= after


def stopped_run(text, folder, after, **changes):
    run = pellucid.train(text, out=folder, **OPTIONS | changes, stop=stopper(after))
    assert not run.finished
    assert len(run.history) == after
    return folder


def assert_same_run(folder, other):
    for name in COMPARED:
        assert (folder / name).read_bytes() == (other / name).read_bytes(), name
    ours, others = (sorted((f / "checkpoints").iterdir()) for f in (folder, other))
    assert [path.name for path in ours] == [path.name for path in others]
    for path, twin in zip(ours, others, strict=True):
        for file in path.iterdir():
            assert file.read_bytes() == (twin / file.name).read_bytes(), file


# To the last bit


@pytest.mark.parametrize("after", STOPPING_POINTS)
def test_a_run_stopped_anywhere_ends_with_the_same_bytes(text, unbroken, tmp_path, after):
    folder = stopped_run(text, tmp_path / "run", after)
    run = pellucid.train(resume=folder)
    assert run.finished
    assert [step.step for step in run.history] == list(range(after + 1, 24))
    assert_same_run(folder, unbroken)


def test_a_run_stopped_after_every_step_ends_with_the_same_bytes(text, unbroken, tmp_path):
    folder = stopped_run(text, tmp_path / "run", 1)
    while not pellucid.train(resume=folder, stop=stopper(1)).finished:
        pass
    assert_same_run(folder, unbroken)


def test_an_accident_before_the_first_interval_costs_the_steps_since_the_start(
    text, unbroken, tmp_path
):
    def fail(step):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        pellucid.train(text, out=tmp_path, on_step=fail, **OPTIONS)
    run = pellucid.train(resume=tmp_path)
    assert [step.step for step in run.history] == list(range(1, 24))
    assert_same_run(tmp_path, unbroken)


def test_without_a_stop_it_is_the_same_bytes_too(text, unbroken, tmp_path):
    pellucid.train(text, out=tmp_path / "again", **OPTIONS)
    assert_same_run(tmp_path / "again", unbroken)


def test_what_was_written_after_the_checkpoint_is_cut_back(text, unbroken, tmp_path):
    """As a kill leaves it: more lines, half of one, drafts, and a checkpoint that nothing names."""
    folder = stopped_run(text, tmp_path / "run", 7)
    with (folder / "metrics.jsonl").open("a") as file:
        file.write('{"step":8,"loss":1.0}\n{"step":9,"lo')
    with (folder / "timing.jsonl").open("a") as file:
        file.write('{"step":9,"tok')
    for name in (".12.draft", "8"):
        (folder / "checkpoints" / name).mkdir()
        (folder / "checkpoints" / name / "model.safetensors").write_bytes(b"half")
    (folder / "model.safetensors").write_bytes(b"half")
    (folder / ".training.json.1234.draft").write_bytes(b"half")
    pellucid.train(resume=folder)
    assert not list(folder.glob(".*"))
    assert_same_run(folder, unbroken)
    timing = [json.loads(line) for line in (folder / "timing.jsonl").read_text().splitlines()]
    assert [line["step"] for line in timing] == list(range(1, 24))


def test_it_goes_on_from_ids_when_the_text_is_gone(text, unbroken, tmp_path):
    copy = tmp_path / "copy.txt"
    copy.write_text(TEXT, encoding="utf-8")
    folder = stopped_run(copy, tmp_path / "run", 7)
    copy.unlink()
    pellucid.train(resume=folder)
    assert_same_run(folder, unbroken)


def test_it_goes_on_from_the_text_when_the_ids_are_gone(text, unbroken, tmp_path, cache):
    folder = stopped_run(text, tmp_path / "run", 7)
    ids = [*(cache / "pellucid").iterdir()]
    assert len(ids) == 1
    ids[0].unlink()
    pellucid.train(resume=folder)
    assert_same_run(folder, unbroken)


def test_damaged_ids_are_made_anew(text, unbroken, tmp_path, cache):
    folder = stopped_run(text, tmp_path / "run", 7)
    (ids,) = (cache / "pellucid").iterdir()
    content = bytearray(ids.read_bytes())
    content[-1] ^= 1
    ids.write_bytes(content)
    pellucid.train(resume=folder)
    assert_same_run(folder, unbroken)


# What else it does


def test_a_finished_run_is_handed_out_as_it_is(unbroken):
    before = (unbroken / "metrics.jsonl").read_bytes()
    run = pellucid.train(resume=unbroken)
    assert run.finished
    assert run.history == ()
    assert (unbroken / "metrics.jsonl").read_bytes() == before
    stored = pellucid.load(unbroken)
    for name, array in run.model.parameters.items():
        np.testing.assert_array_equal(stored.parameters[name], array)


def test_a_model_that_a_kill_left_behind_its_checkpoint_is_brought_up(text, unbroken, tmp_path):
    folder = stopped_run(text, tmp_path / "run", 22)
    pellucid.train(resume=folder)
    for name in ("model.safetensors", "tokenizer.json"):
        (folder / name).unlink()
    pellucid.train(resume=folder)
    assert_same_run(folder, unbroken)


def test_without_its_metrics_it_goes_on_and_notes_what_is_to_come(text, unbroken, tmp_path):
    folder = stopped_run(text, tmp_path / "run", 7)
    (folder / "metrics.jsonl").unlink()
    assert pellucid.train(resume=folder).finished
    assert (
        (unbroken / "metrics.jsonl").read_bytes().endswith((folder / "metrics.jsonl").read_bytes())
    )
    assert (folder / "model.safetensors").read_bytes() == (
        unbroken / "model.safetensors"
    ).read_bytes()


def test_it_can_go_on_for_longer(text, tmp_path):
    folder = tmp_path / "run"
    pellucid.train(text, out=folder, **OPTIONS)
    run = pellucid.train(resume=folder, steps=30)
    assert [step.step for step in run.history] == list(range(24, 31))
    assert pellucid.train(resume=folder).recipe.steps == 30


def test_it_uses_as_many_threads_as_at_first_and_puts_them_back(text, tmp_path):
    before = blas_threads()
    during = set()
    folder = stopped_run(text, tmp_path / "run", 3)
    notices: list[str] = []
    with pinned(2):
        pellucid.train(
            resume=folder, on_step=lambda _: during.add(blas_threads()), on_notice=notices.append
        )
        assert blas_threads() == 2
    assert during == {1}
    assert blas_threads() == before
    assert notices == []


def test_another_environment_is_said(text, tmp_path):
    folder = stopped_run(text, tmp_path / "run", 3)
    facts = json.loads((folder / "training.json").read_text())
    facts["environment"] |= {"numpy": "1.0", "machine": "abacus"}
    (folder / "training.json").write_text(json.dumps(facts))
    notices: list[str] = []
    assert pellucid.train(resume=folder, on_notice=notices.append).finished
    assert len(notices) == 1
    assert "instead of abacus" in notices[0]
    assert f"numpy {np.__version__} instead of 1.0" in notices[0]


def test_the_model_shown_after_a_stop_is_the_latest_where_that_is_better(text, tmp_path):
    folder = stopped_run(text, tmp_path / "run", 4)
    shown = pellucid.load(folder)
    latest = pellucid.load(folder / "checkpoints" / "4")
    fresh = pellucid.load(folder / "checkpoints" / "0")
    for name, array in shown.parameters.items():
        np.testing.assert_array_equal(array, latest.parameters[name])
    assert any((a != fresh.parameters[name]).any() for name, a in shown.parameters.items())


# What is refused


def test_a_text_that_has_changed_is_refused(text, tmp_path, cache):
    copy = tmp_path / "copy.txt"
    copy.write_text(TEXT, encoding="utf-8")
    folder = stopped_run(copy, tmp_path / "run", 3)
    for ids in (cache / "pellucid").iterdir():
        ids.unlink()
    copy.write_text(TEXT.replace("owl", "low"), encoding="utf-8")
    with pytest.raises(PellucidError, match=r"The text is not the one .* it has changed since"):
        pellucid.train(resume=folder)
    copy.unlink()
    with pytest.raises(PellucidError, match=r"cannot be read again: There is no file .*copy\.txt"):
        pellucid.train(resume=folder)
    assert pellucid.train(text, resume=folder).finished


def test_a_text_that_was_handed_over_is_asked_for(tmp_path, cache):
    folder = stopped_run(DOCUMENT, tmp_path / "run", 3)
    for ids in (cache / "pellucid").iterdir():
        ids.unlink()
    with pytest.raises(PellucidError, match=r"handed over, .* give it again as the corpus"):
        pellucid.train(resume=folder)
    assert pellucid.train(DOCUMENT, resume=folder).finished


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(PellucidError, match="holds no run to go on with"):
        pellucid.train(resume=tmp_path)


def test_a_run_on_sentences_cannot_be_gone_on_with(tmp_path):
    pellucid.train(["a b"], preset="baby-groot", out=tmp_path)
    with pytest.raises(PellucidError, match="not of a training on text"):
        pellucid.train(resume=tmp_path)


def test_a_damaged_checkpoint_is_refused_with_its_name(text, tmp_path):
    folder = stopped_run(text, tmp_path / "run", 3)
    weights = folder / "checkpoints" / "3" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    with pytest.raises(PellucidError, match=r"checkpoints/3/model\.safetensors is damaged"):
        pellucid.train(resume=folder)


def test_a_state_of_another_model_is_refused(text, tmp_path):
    folder = stopped_run(text, tmp_path / "run", 3)
    path = folder / "checkpoints" / "3"
    (path / "optimizer.safetensors").write_bytes((path / "model.safetensors").read_bytes())
    with pytest.raises(PellucidError, match="is not the optimizer's state of the model beside it"):
        pellucid.train(resume=folder)


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "nano"},
        {"dropout": 0.5},
        {"out": "elsewhere"},
        {"seed": 3},
        {"dtype": "float64"},
        {"encoding": "latin-1"},
    ],
)
def test_what_would_make_it_another_run_is_refused(unbroken, options):
    with pytest.raises(PellucidError, match="does not go with resume"):
        pellucid.train(resume=unbroken, **options)


def test_files_of_different_checkpoints_are_not_mixed(text, tmp_path):
    folder = stopped_run(text, tmp_path / "run", 3)
    checkpoints = folder / "checkpoints"
    state = checkpoints / "3" / "optimizer.safetensors"
    state.write_bytes((checkpoints / "0" / "optimizer.safetensors").read_bytes())
    with pytest.raises(
        PellucidError, match=r"optimizer\.safetensors is of step 0, in the checkpoint of step 3"
    ):
        pellucid.train(resume=folder)
