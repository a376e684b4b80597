"""One process, two and four, with the whole model each or a part of it: the same training."""

import json
import signal
from typing import Any

import numpy as np
import pytest
import torch

import pellucid
from pellucid.training.checkpoint import load_checkpoint
from pellucid.training.film_file import FILM, FilmFile
from tests.training.processes import run_together
from tests.training.texts import DOCUMENT, SMALL

OPTIONS: Any = SMALL | {
    "steps": 20,
    "every": 6,
    "batch_size": 8,
    "accumulate": 2,
    "dropout": 0.1,
    "clip": 0.5,
    "engine": "torch",
    "device": "cpu",
    "film": 5,
}
STOPPED = 9

TRAIN = f"""
import json, os, signal, sys
from itertools import count
from pathlib import Path
import pellucid
from tests.training.texts import DOCUMENT

folder, rank = Path(sys.argv[1]), os.environ["RANK"]
OPTIONS = {OPTIONS!r}

def train(name, **options):
    return pellucid.train(DOCUMENT, out=folder / name, **OPTIONS | options)

def from_step(number, act):
    steps = count(1)
    return lambda: next(steps) >= number and act()

def end(number):
    os.kill(os.getpid(), number)
"""

TWO = (
    TRAIN
    + f"""
train("none", sharding="none")
train("full", sharding="full")

# Interrupted at one rank, after a step at the end of which nothing was known of it.
act = lambda: end(signal.SIGTERM if rank == "1" else 0)
stopped = train("stopped", sharding="full", stop=from_step({STOPPED - 1}, act))
assert not stopped.finished and len(stopped.history) == {STOPPED}
run = pellucid.train(resume=folder / "stopped")
assert run.finished and [s.step for s in run.history] == list(range({STOPPED} + 1, 21))
np_run = pellucid.train(resume=folder / "stopped")
assert np_run.history == () and np_run.model.parameters.keys() == run.model.parameters.keys()

# Left with a checkpoint for others to go on with.
train("left", sharding="full", stop=from_step({STOPPED}, lambda: True))

# A rank dies.
try:
    train("dead", sharding="full", stop=from_step({STOPPED}, lambda: end(9 if rank == "1" else 0)))
except pellucid.PellucidError as error:
    print(error, flush=True)
    # As the command does: what is left of the connections may abort Python as it ends.
    os._exit(0)
"""
)

FOUR = (
    TRAIN
    + """
train("none of four", sharding="none")
train("full of four", sharding="full")
train("hybrid", sharding="hybrid")
pellucid.train(resume=sys.argv[2])
"""
)


MEASURED = ("loss", "gradient_norm", "validation_loss")


def measures(folder):
    """Every loss and every length of a gradient in `metrics.jsonl`, in order."""
    lines = map(json.loads, (folder / "metrics.jsonl").read_text().splitlines())
    return [line[name] for line in lines for name in MEASURED if name in line]


def assert_same_training(folder, other):
    """As many steps and validations, and what was measured in them within 1e-5."""
    np.testing.assert_allclose(measures(folder), measures(other), rtol=0, atol=1e-5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def alone(folder):
    """One process."""
    return pellucid.train(DOCUMENT, out=folder / "alone", **OPTIONS).folder


@pytest.fixture(scope="module")
def two(folder):
    """What two processes said, the second of which died in the end."""
    said = run_together(TWO, folder, size=2)
    assert [code for *_, code in said] == [0, -signal.SIGKILL], said
    return said


@pytest.fixture(scope="module")
def four(folder, two):
    """What four said, two of them on each machine as far as they know."""
    said = run_together(FOUR, folder, folder / "left", size=4, on_each_machine=2)
    assert [code for *_, code in said] == [0] * 4, said
    return said


# The same numbers


@pytest.mark.parametrize("name", ["none", "full"])
def test_two_processes_train_as_one_does(folder, alone, two, name):
    assert_same_training(folder / name, alone)


@pytest.mark.parametrize("name", ["none of four", "full of four", "hybrid"])
def test_four_processes_train_as_one_does(folder, alone, four, name):
    assert_same_training(folder / name, alone)


def test_the_models_are_the_same(folder, alone, two, four):
    expected = pellucid.load(alone).parameters
    for name in ("none", "full", "none of four", "full of four", "hybrid"):
        for key, array in pellucid.load(folder / name).parameters.items():
            np.testing.assert_allclose(array, expected[key], atol=2e-5, err_msg=f"{name} {key}")


def test_so_are_their_films_of_which_each_rank_may_write_its_rows(folder, alone, two, four):
    expected = FilmFile(alone / FILM).frames()
    for name in ("none", "full", "none of four", "full of four", "hybrid"):
        found = FilmFile(folder / name / FILM).frames()
        assert found.steps == expected.steps == (0, 5, 10, 15, 20)
        for key, array in found.arrays.items():
            np.testing.assert_allclose(array, expected.arrays[key], atol=2e-5, err_msg=key)
        last = load_checkpoint(folder / name / "checkpoints" / "20").parameters
        for key, array in found.at(4).items():
            np.testing.assert_array_equal(array, last[key], err_msg=f"{name} {key}")


# Stopping, dying and going on


def test_interrupted_at_one_rank_and_resumed_it_ends_with_the_same_bytes(folder, two):
    for name in ("metrics.jsonl", "model.safetensors", "config.json", "tokenizer.json", FILM):
        stopped, unbroken = ((folder / run / name).read_bytes() for run in ("stopped", "full"))
        assert stopped == unbroken, name


def test_a_dead_rank_is_noticed_and_the_run_can_be_gone_on_with(folder, alone, two):
    (said, _, _), _ = two
    assert said.splitlines()[-1] == (
        "Rank 0 of 2 has lost the others: one of them has ended. The checkpoint after step 6 is "
        f"whole: go on with --resume {folder / 'dead'}."
    )
    run = pellucid.train(resume=folder / "dead", sharding="none")
    assert [step.step for step in run.history] == list(range(7, 21))
    assert_same_training(folder / "dead", alone)


def test_another_number_of_processes_goes_on(folder, alone, four):
    """Two began, four went on; one, and another engine, may do so too."""
    assert_same_training(folder / "left", alone)
    ways: list[dict[str, Any]] = [{"sharding": "none"}, {"engine": "numpy"}]
    for changes in ways:
        copy = folder / f"left to {next(iter(changes.values()))}"
        if not copy.exists():
            copy.symlink_to(folder / "left")
        assert pellucid.train(resume=copy, steps=20, **changes).history == ()


# What a checkpoint is


def test_a_checkpoint_is_divided_and_the_folder_has_the_whole_model(folder, two):
    (checkpoint,) = (folder / "full" / "checkpoints").glob("20")
    names = sorted(path.name for path in checkpoint.iterdir())
    assert names == [
        "config.json",
        "shard-00001-of-00002.safetensors",
        "shard-00002-of-00002.safetensors",
        "shards.json",
        "tokenizer.json",
    ]
    assert not list((folder / "full").rglob("*.draft"))
    assert pellucid.load(folder / "full").config.n_layer == SMALL["n_layer"]


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="there are no two CUDA GPUs here")
@pytest.mark.parametrize("sharding", ["none", "full"])
def test_two_gpus_train_as_one_process_does(folder, alone, sharding):
    program = TRAIN + f'train("{sharding} on GPUs", sharding="{sharding}", device="cuda")'
    said = run_together(program, folder, size=2)
    assert [code for *_, code in said] == [0, 0], said
    assert_same_training(folder / f"{sharding} on GPUs", alone)
