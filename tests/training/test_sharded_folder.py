"""Checkpoints that are written beside the training, by one rank that has all there is."""

import json
import resource
from typing import Any

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.training.checkpoint import load_checkpoint, restore
from pellucid.training.environment import Environment
from pellucid.training.execution import Execution
from pellucid.training.moments import MEANS
from pellucid.training.preparation import prepare
from pellucid.training.ranks import ALONE
from pellucid.training.run_folder import Record, Text
from pellucid.training.sharded_folder import ShardedFolder
from pellucid.training.torch_learner import TorchLearner
from pellucid.training.trainers import make_trainer
from tests.training.texts import DOCUMENT, SMALL

OPTIONS: Any = {name: value for name, value in SMALL.items() if name != "threads"}


class OneShard(TorchLearner):
    """All rows in one place, as a divided model has them in several."""

    shard, is_written = 0, True

    def rows(self):
        found = {}
        for name, parameter in self.named.items():
            found[name] = self.gathered(parameter).copy()
            for kind in MEANS:
                found[f"{kind}/{name}"] = self.gathered(self.remembered(parameter, kind)).copy()
        return found


@pytest.fixture(scope="module")
def prepared():
    return prepare(DOCUMENT, options=OPTIONS)


@pytest.fixture
def trainer(prepared):
    trainer = make_trainer(prepared)
    how = Execution(engine="torch", device="cpu")
    trainer.learner = OneShard(prepared.start, prepared.recipe, how)
    return trainer


@pytest.fixture
def folder(tmp_path):
    folder = ShardedFolder(tmp_path / "run", ALONE)
    folder.begin()
    yield folder
    folder.close()


def record_of(trainer, *, best=None):
    step = trainer.steps_taken
    return Record(
        checkpoint=step,
        best=step if best is None else best,
        best_loss=None,
        shown=step if best is None else best,
        metrics_bytes=0,
        recipe=trainer.recipe,
        seed=0,
        block_size=8,
        text=Text(digest="", tokens="", sources=None, encoding="utf-8"),
        environment=Environment.here(),
    )


def named(folder):
    """The checkpoint that `training.json` names."""
    path = folder.path / "training.json"
    return json.loads(path.read_bytes())["checkpoint"] if path.exists() else None


def take(trainer, steps):
    for _ in range(steps):
        trainer.step()


def test_what_is_saved_is_what_was_when_it_was_asked_for(folder, trainer, prepared):
    take(trainer, 3)
    saved = {name: array.copy() for name, array in trainer.learner.parameters.items()}
    remembered = {name: array.copy() for name, array in trainer.learner.state().items()}
    folder.save(trainer, record_of(trainer))
    take(trainer, 2)
    folder.finish()
    checkpoint = folder.checkpoint(3)
    for model in (load_checkpoint(checkpoint), pellucid.load(folder.path)):
        for name, array in model.parameters.items():
            np.testing.assert_array_equal(array, saved[name])
    again = make_trainer(prepared, Execution(engine="torch", device="cpu"))
    restore(again, checkpoint)
    assert again.steps_taken == 3
    for name, array in again.learner.state().items():
        np.testing.assert_array_equal(array, remembered[name])


def test_a_checkpoint_is_named_when_it_is_whole(folder, trainer):
    folder.save(trainer, record_of(trainer))
    assert named(folder) is None
    folder.settle(wait=True)
    assert named(folder) == 0
    take(trainer, 2)
    folder.save(trainer, record_of(trainer))
    assert named(folder) == 0
    take(trainer, 2)
    folder.save(trainer, record_of(trainer, best=2))
    assert named(folder) == 2
    folder.finish()
    assert named(folder) == 4
    kept = sorted(path.name for path in (folder.path / "checkpoints").iterdir())
    assert kept == ["2", "4"]


def test_the_folder_shows_the_best_and_not_the_latest(folder, trainer):
    take(trainer, 2)
    best = {name: array.copy() for name, array in trainer.learner.parameters.items()}
    folder.save(trainer, record_of(trainer))
    take(trainer, 2)
    folder.save(trainer, record_of(trainer, best=2))
    folder.finish()
    for name, array in pellucid.load(folder.path).parameters.items():
        np.testing.assert_array_equal(array, best[name])


def test_what_cannot_be_written_leaves_the_checkpoint_before_it(folder, trainer):
    folder.save(trainer, record_of(trainer))
    folder.settle(wait=True)
    take(trainer, 2)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # A shard is longer than this, and what else is written is shorter.
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, limits[1]))
    try:
        folder.save(trainer, record_of(trainer))
        with pytest.raises(PellucidError, match="run cannot be written: File too large"):
            folder.settle(wait=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert named(folder) == 0
    assert load_checkpoint(folder.checkpoint(0)).n_parameters == trainer.start.n_parameters


def test_files_of_another_checkpoint_are_refused(folder, trainer, prepared):
    folder.save(trainer, record_of(trainer))
    folder.finish()
    moved = folder.checkpoint(0).rename(folder.checkpoint(5))
    with pytest.raises(PellucidError, match=r"shards\.json is of step 0, in the checkpoint of st"):
        restore(make_trainer(prepared), moved)
