"""Killed at any instant a run loses no more than the steps since its last checkpoint."""

import json
import os
import random
import subprocess
import sys
from time import sleep

import pytest

import pellucid
from pellucid.errors import PellucidError
from tests.training.texts import SMALL, TEXT

EVERY = 3
OPTIONS = SMALL | {"steps": 150, "every": EVERY, "dropout": 0.1}

CHILD = """
import sys
import pellucid

text, folder, options = sys.argv[1], sys.argv[2], eval(sys.argv[3])
print("ready", flush=True)
try:
    pellucid.train(resume=folder)
except pellucid.PellucidError:
    pellucid.train(text, out=folder, **options)
"""


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "small.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def unbroken(text, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "unbroken"
    return pellucid.train(text, out=folder, **OPTIONS).folder


def killed_after(seconds, text, folder, options=OPTIONS):
    """Start or resume the run in a process of its own, kill it, and say whether it was alive."""
    command = [sys.executable, "-c", CHILD, str(text), str(folder), repr(options)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        sleep(seconds)
        alive = child.poll() is None
        # Does nothing to a child that has ended by itself in the meantime.
        child.kill()
    assert alive or child.returncode == 0
    return alive


def latest(folder):
    """After how many steps the checkpoint was made that `training.json` names."""
    path = folder / "training.json"
    return json.loads(path.read_bytes())["checkpoint"] if path.exists() else None


def assert_every_kill_is_survived(kills, text, unbroken, tmp_path):
    chance = random.Random(kills)
    folder, done = tmp_path / "run 0", 0
    whole = (unbroken / "metrics.jsonl").read_bytes()
    while done < kills:
        before = latest(folder)
        done += killed_after(chance.uniform(0.1, 0.9), text, folder)
        after = latest(folder)
        if after is None:
            assert before is None
            continue
        assert before is None or after >= before
        pellucid.load(folder / "checkpoints" / str(after))
        metrics = (folder / "metrics.jsonl").read_bytes()
        assert whole.startswith(metrics)
        if after > 0:
            pellucid.load(folder)
        # Every step that is noted and not in the checkpoint is lost: fewer than there are from
        # one checkpoint to the next, and the one that was being saved.
        noted = [json.loads(line)["step"] for line in metrics[: metrics.rfind(b"\n")].splitlines()]
        assert max(noted, default=0) - after <= EVERY
        if after == OPTIONS["steps"]:
            folder = tmp_path / f"run {done}"
    try:
        pellucid.train(resume=folder)
    except PellucidError:
        pellucid.train(text, out=folder, **OPTIONS)
    for name in ("model.safetensors", "metrics.jsonl"):
        assert (folder / name).read_bytes() == (unbroken / name).read_bytes()


def test_a_few_kills(text, unbroken, tmp_path):
    assert_every_kill_is_survived(4, text, unbroken, tmp_path)


@pytest.mark.slow
def test_fifty_kills(text, unbroken, tmp_path):
    assert_every_kill_is_survived(50, text, unbroken, tmp_path)
