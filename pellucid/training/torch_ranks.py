"""TorchRanks: processes that torchrun has started, joined by torch.distributed."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import distributed

from pellucid.engine.torch_tensors import find_device
from pellucid.errors import PellucidError
from pellucid.training.execution import Execution
from pellucid.training.ranks import LostError, Ranks

BACKENDS = {"cpu": "gloo", "cuda": "cpu:gloo,cuda:nccl"}
"""By device: what they tell each other is told on the CPU, gradients where they are."""


class TorchRanks(Ranks):
    """Several processes. What they tell each other they must all tell in the same order."""

    __slots__ = ()

    def sums(self, *numbers: float) -> tuple[float, ...]:
        told = torch.tensor(numbers, dtype=torch.float64)
        distributed.all_reduce(told)
        return tuple(told.tolist())

    def tell_all(self, text: str) -> Sequence[str]:
        said = text.encode()
        lengths = [torch.zeros(1, dtype=torch.int64) for _ in range(self.size)]
        distributed.all_gather(lengths, torch.tensor([len(said)]))
        longest = max(int(length) for length in lengths)
        if not longest:
            return ("",) * self.size
        padded = torch.frombuffer(bytearray(said.ljust(longest)), dtype=torch.uint8)
        texts = [torch.empty(longest, dtype=torch.uint8) for _ in range(self.size)]
        distributed.all_gather(texts, padded)
        cut = zip(texts, lengths, strict=True)
        return tuple(bytes(each[: int(length)].tolist()).decode() for each, length in cut)

    @contextmanager
    def noticing(self, how_to_go_on: Callable[[], str]) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:
            if not lost(error):
                raise
            raise LostError(
                f"Rank {self.rank} of {self.size} has lost the others: one of them has ended."
                f"{how_to_go_on()}"
            ) from None


def lost(error: RuntimeError) -> bool:
    """Whether an error says that another rank cannot be reached any more."""
    said = str(error).casefold()
    return isinstance(error, distributed.DistBackendError) or any(
        words in said
        for words in ("connection closed", "connection reset", "broken pipe", "timed out")
    )


def join(execution: Execution, launched: Ranks) -> TorchRanks:
    """Join the others that were started with this process, until it ends.

    Where the caller has joined them already, that is enough.

    Raises:
        PellucidError: there are too few devices, or the others cannot be reached.
    """
    ranks = TorchRanks(launched.rank, launched.size, launched.local_rank, launched.local_size)
    if distributed.is_initialized():
        return ranks
    device = own_device(execution.device, ranks)
    if device.type == "cuda":
        torch.cuda.set_device(device)
    try:
        distributed.init_process_group(BACKENDS[device.type])
    except (RuntimeError, ValueError) as error:
        address = ":".join(os.environ.get(name, "") for name in ("MASTER_ADDR", "MASTER_PORT"))
        raise PellucidError(
            f"Rank {ranks.rank} of {ranks.size} cannot join the others at {address}: {error}"
        ) from None
    # Not sooner: to join a second time, for another training, would wait for ever.
    atexit.register(distributed.destroy_process_group)
    return ranks


def own_device(name: str, ranks: Ranks) -> torch.device:
    """The device of this process: where there are several, a GPU for each, or the CPU for all.

    Raises:
        PellucidError: there is no such device, or there are not enough.
    """
    if ranks.size == 1:
        return find_device(name)
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name not in BACKENDS:
        raise PellucidError(
            f"device={name} cannot be shared by {ranks.size} processes: take cpu, or cuda for a "
            "GPU each."
        )
    there = torch.cuda.device_count()
    if name == "cuda" and ranks.local_size > there:
        raise PellucidError(
            f"There are {ranks.local_size} processes on this machine, and PyTorch sees {there} "
            f"CUDA GPUs: start as many as there are, or take device cpu."
        )
    return find_device(name if name == "cpu" else f"cuda:{ranks.local_rank}")


def check_sharding(execution: Execution, ranks: Ranks) -> None:
    """Raise `PellucidError` for a sharding that so many processes cannot have."""
    machines = ranks.size // ranks.local_size
    if not execution.shards:
        return
    if ranks.size == 1:
        raise PellucidError(
            f"sharding={execution.sharding} divides a model among several processes, and there is "
            "one: start it with torchrun --nproc-per-node N -m pellucid …, or take none."
        )
    if execution.sharding == "hybrid" and (machines < 2 or ranks.local_size < 2):
        raise PellucidError(
            "sharding=hybrid divides a model within each machine and repeats it on every machine, "
            f"and there are {machines} with {ranks.local_size} processes: take full."
        )
