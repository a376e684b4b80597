"""A run's folder is the model's, with how it was trained beside it."""

import msgspec
import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.training.history import Epoch
from pellucid.training.recipes import RECIPES, Recipe

QUICK = msgspec.structs.replace(RECIPES["default"], epochs=3)


@pytest.fixture(scope="module")
def run():
    return pellucid.train(recipe=QUICK, seed=8)


def test_what_is_loaded_is_what_was_trained(run, tmp_path):
    assert run.save(tmp_path / "run") == tmp_path / "run"
    loaded = pellucid.load(tmp_path / "run")
    assert loaded.config == run.model.config
    assert loaded.generate_text("i am") == run.model.generate_text("i am")
    for name, array in run.model.parameters.items():
        np.testing.assert_array_equal(loaded.parameters[name], array)


def test_how_it_was_trained_can_be_read_back(run, tmp_path):
    run.save(tmp_path)
    facts = msgspec.json.decode((tmp_path / "training.json").read_bytes())
    assert msgspec.convert(facts["recipe"], Recipe) == QUICK
    assert (facts["seed"], facts["loss"], facts["floor"]) == (8, run.loss, run.floor)
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert tuple(msgspec.json.decode(line, type=Epoch) for line in lines) == run.history
    assert msgspec.json.decode((tmp_path / "timing.jsonl").read_bytes()) == {"seconds": run.seconds}


def test_what_the_seed_decides_is_the_same_bytes_each_time(run, tmp_path):
    run.save(tmp_path / "one")
    pellucid.train(recipe=QUICK, seed=8).save(tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        if path.name != "timing.jsonl":
            assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_saving_again_replaces_the_run_and_leaves_no_drafts(run, tmp_path):
    run.save(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    run.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert not [name for name in before if "draft" in name]


def test_a_place_that_cannot_be_written_is_an_error_with_words(run, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(PellucidError, match="file cannot be written"):
        run.save(tmp_path / "file")
    (tmp_path / "run" / "metrics.jsonl").mkdir(parents=True)
    with pytest.raises(PellucidError, match="run cannot be written: it is not a file"):
        run.save(tmp_path / "run")


def test_a_run_shows_itself_without_its_history(run):
    assert "968 parameters" in repr(run)
    assert "Epoch(" not in repr(run)
