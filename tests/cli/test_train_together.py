"""`torchrun … -m pellucid train`: one voice, and an end that is saved whoever is asked to end."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

import pellucid
from tests.training.processes import LONGEST, run_together
from tests.training.texts import TEXT

TINY = (
    *("--n-layer", "1", "--n-head", "2", "--n-embd", "8", "--block-size", "8"),
    *("--batch-size", "4", "--every", "10", "--engine", "torch", "--device", "cpu"),
)
COMMANDS = """
import sys
from pellucid.cli.main import main
from pellucid.training.leaving import leave
refused = main([*sys.argv[1:], "--accumulate", "3"])
leave(10 * refused + main(sys.argv[1:]))
"""
"""One that is refused, and one that is not; returns both codes."""


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_one_speaks_for_all(text, tmp_path):
    first, second = run_together(
        COMMANDS, "train", text, *TINY, "--steps", 10, "--out", tmp_path / "run", size=2
    )
    said, complaint, code = first
    assert code == 20, first
    assert complaint.startswith("pellucid: accumulate=3 parts of the 2 windows that each")
    assert complaint.count("\n") == 1
    assert "PyTorch on cpu, 2 processes each with the whole model" in said
    assert second == ("", "", 20)
    assert pellucid.load(tmp_path / "run").config.n_embd == 8


# As torchrun does it


def torchrun(*arguments):
    """The command itself, started."""
    launcher = ("-m", "torch.distributed.run", "--nproc-per-node", "2", "-m", "pellucid", "train")
    return subprocess.Popen(
        [sys.executable, *launcher, *map(str, arguments)],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for_step(folder, number):
    """Wait until `metrics.jsonl` tells of the step; returns the number of the latest."""
    metrics, began = folder / "metrics.jsonl", monotonic()
    while monotonic() - began < LONGEST:
        lines = metrics.read_bytes().splitlines() if metrics.exists() else []
        if len(lines) > number:
            return json.loads(lines[-2])["step"]
        sleep(0.1)
    raise AssertionError(f"step {number} was not reached")


def workers_of(launcher):
    """The ids of the processes that it has started."""
    children = Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children")
    return [int(child) for child in children.read_text(encoding="ascii").split()]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_ctrl_c_saves_and_a_dead_process_is_told_of(text, tmp_path):
    folder = tmp_path / "run"
    options = (*TINY, "--steps", 1_000_000, "--sharding", "full", "--out", folder)
    with torchrun(text, *options) as launcher:
        latest = wait_for_step(folder, 25)
        launcher.send_signal(signal.SIGINT)
        said, _ = launcher.communicate(timeout=LONGEST)
    stopped = json.loads((folder / "training.json").read_bytes())["checkpoint"]
    assert stopped >= latest
    assert f"Stopped after step {stopped} of 1000000. Go on with --resume {folder}." in said
    with torchrun("--resume", folder) as launcher:
        wait_for_step(folder, stopped + 25)
        os.kill(workers_of(launcher)[-1], signal.SIGKILL)
        said, _ = launcher.communicate(timeout=LONGEST)
    reached = json.loads((folder / "training.json").read_bytes())["checkpoint"]
    assert reached > stopped
    assert "has lost the others: one of them has ended." in said
    assert f"The checkpoint after step {reached} is whole: go on with --resume {folder}." in said
    run = pellucid.train(resume=folder, sharding="none", steps=reached + 1)
    assert [step.step for step in run.history] == [reached + 1]
