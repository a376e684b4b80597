"""BabyGroot trained from scratch, against the same recipe as plain PyTorch modules."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch

import pellucid
from benchmarks.comparison import Report, require, take_turns, times_faster
from benchmarks.yardsticks import torch_baby_groot
from pellucid.text.corpora import GROOT
from pellucid.training.run import TrainingRun

REPEATS = 7
LAST_EPOCHS = 50
NEAR_THE_FLOOR = 0.1
"""Nats. Untrained models start at 3.2; at a constant rate they end swinging above the floor."""
WHAT = "training BabyGroot, 500 epochs of 76 pairs"


def run() -> Report:
    """Check that both sides learn the same thing, then time 500 epochs of each in turn."""
    default_threads = torch.get_num_threads()
    checks = check()
    contestants: dict[str, Callable[[], object]] = {
        "ours": ours,
        "torch": partial(theirs, threads=default_threads),
        "torch, one thread": partial(theirs, threads=1),
    }
    seconds = take_turns(contestants, repeats=REPEATS)
    plain, one = f"plain PyTorch, its default threads ({default_threads})", "the same, one thread"
    comparisons = [
        times_faster(WHAT, plain, seconds["ours"], seconds["torch"], at_least=10),
        times_faster(WHAT, one, seconds["ours"], seconds["torch, one thread"], at_least=None),
    ]
    return Report(checks, comparisons)


def ours() -> TrainingRun:
    """Train with Pellucid, from sentences to a model."""
    return pellucid.train(preset="baby-groot", recipe="notebook", seed=0)


def theirs(*, threads: int) -> torch_baby_groot.Result:
    """Train with PyTorch on so many threads, from sentences to a model."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        return torch_baby_groot.train(GROOT, epochs=500, seed=0)
    finally:
        # The next benchmark measures PyTorch with its own count.
        torch.set_num_threads(before)


def check() -> list[str]:
    """Both train as many parameters for as many epochs, and end above and near the floor."""
    run, result = ours(), theirs(threads=1)
    ended = {
        "Pellucid": tail([epoch.loss for epoch in run.history]),
        "PyTorch": tail(result.losses),
    }
    parameters = {run.model.n_parameters, result.parameters}
    near = all(run.floor < loss < run.floor + NEAR_THE_FLOOR for loss in ended.values())
    losses = " and ".join(f"{loss:.4f} ({name})" for name, loss in ended.items())
    return [
        require(
            parameters == {968} and len(run.history) == len(result.losses) == 500,
            "both train 968 parameters for 500 epochs",
        ),
        require(
            near,
            f"the mean loss of the last {LAST_EPOCHS} epochs is {losses} nats, "
            f"within {NEAR_THE_FLOOR} of the floor {run.floor:.4f}",
        ),
    ]


def tail(losses: list[float]) -> float:
    """Mean of the last epochs' losses, in nats: one epoch alone swings with its order."""
    return sum(losses[-LAST_EPOCHS:]) / LAST_EPOCHS
