"""Ranks: the processes that train one model together, and what they tell each other."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar, cast

from pellucid.engine.find_torch import require_torch
from pellucid.errors import PellucidError
from pellucid.training.execution import Execution

T = TypeVar("T")


class ToldError(PellucidError):
    """An error that another process of the same training tells of."""


class LostError(PellucidError):
    """Another process of the same training has ended before its time."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """One process that trains by itself; `TorchRanks` are several.

    Each has a `rank`, from 0 to `size` − 1, and its place among the `local_size` of its machine.
    The first reports and writes.
    """

    rank: int = 0
    size: int = 1
    local_rank: int = 0
    local_size: int = 1

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def sums(self, *numbers: float) -> tuple[float, ...]:
        """What these numbers of all ranks add up to."""
        return numbers

    def tell_all(self, text: str) -> Sequence[str]:
        """What every rank says, by rank."""
        return (text,)

    def any(self, wish: bool) -> bool:
        """Whether any rank wishes it."""
        return self.sums(float(bool(wish)))[0] > 0

    def of_first(self, number: float) -> float:
        """The number that the first rank has."""
        return self.sums(number if self.is_first else 0.0)[0]

    def in_turn(self, work: Callable[[], T]) -> T:
        """Have the first of each machine do its work, then the others, who find files made.

        Raises:
            PellucidError: any of them failed with one.
        """
        goes_first = self.local_rank == 0
        early = self.together(work if goes_first else None)
        late = None if self.local_size == 1 else self.together(None if goes_first else work)
        return cast(T, early if goes_first else late)

    def in_step(self, work: Callable[[], T]) -> T:
        """Have all do some work.

        Raises:
            PellucidError: any of them failed with one.
        """
        return cast(T, self.together(work))

    def together(self, work: Callable[[], T] | None) -> T | None:
        """Do some work, or none, and wait for the others.

        Raises:
            PellucidError: the work of any rank failed with one; it is told by the first rank alone.
        """
        result, error = None, ""
        try:
            result = None if work is None else work()
        except PellucidError as failed:
            error = str(failed)
        for rank, said in enumerate(self.tell_all(error)):
            if said:
                raise (PellucidError if self.is_first else ToldError)(
                    f"Rank {rank}: {said}" if rank else said
                )
        return result

    def share(self, batch_size: int, accumulate: int) -> tuple[int, int]:
        """The windows of a batch that are this rank's: from the first to before the second.

        Raises:
            PellucidError: the batch cannot be shared equally, or a share not be run in so many
                parts.
        """
        each, left = divmod(batch_size, self.size)
        if left or not each:
            lower, higher = each * self.size, (each + 1) * self.size
            fitting = f"{lower} or {higher}" if lower else f"{higher}"
            raise PellucidError(
                f"batch_size={batch_size} windows cannot be shared equally by {self.size} "
                f"processes: take {fitting}, or another number of processes."
            )
        if accumulate > each:
            raise PellucidError(
                f"accumulate={accumulate} parts of the {each} windows that each of {self.size} "
                f"processes has (batch_size={batch_size}) would be less than one each: at most "
                f"{each}."
            )
        return self.rank * each, (self.rank + 1) * each

    @contextmanager
    def noticing(self, how_to_go_on: Callable[[], str]) -> Iterator[None]:
        """Raise `LostError` where another rank has ended, with words on what to do then."""
        yield


ALONE = Ranks()


def launched() -> Ranks:
    """What torchrun, or whoever started this process as one of several, says of it."""
    if "RANK" not in os.environ or "WORLD_SIZE" not in os.environ:
        return ALONE
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    local_rank = int(os.environ.get("LOCAL_RANK", rank))
    return Ranks(rank, size, local_rank, int(os.environ.get("LOCAL_WORLD_SIZE", size)))


def ranks_for(execution: Execution) -> Ranks:
    """This process as one of those that train together: alone, or joined with the others.

    Raises:
        PellucidError: they are too many or too few for what was asked, they cannot reach each
            other, or PyTorch is missing.
    """
    ranks = launched()
    try:
        if execution.engine == "torch":
            require_torch()
            from pellucid.training.torch_ranks import check_sharding

            check_sharding(execution, ranks)
        elif ranks.size > 1:
            raise PellucidError(
                f"The NumPy engine trains in one process, and there are {ranks.size}: "
                "choose engine=torch."
            )
    except PellucidError as error:
        raise (PellucidError if ranks.is_first else ToldError)(str(error)) from None
    if ranks.size == 1:
        return ALONE
    from pellucid.training.torch_ranks import join

    return join(execution, ranks)
