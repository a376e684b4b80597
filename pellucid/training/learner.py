"""Learner: the part of a training that an engine does. All the rest is the same for every engine.

A learner holds the parameters and what the optimizer remembers. It is handed the parts of a batch
and says their loss; which windows those are, the rate, and what is reported is none of its affair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pellucid.decoder.graph import Graph
from pellucid.ops.operation import Array
from pellucid.training.environment import Environment
from pellucid.training.execution import Execution
from pellucid.training.moments import Moments


@dataclass(frozen=True, slots=True)
class Part:
    """Windows of one batch that are run at once."""

    ids: Array
    """[window, position]."""
    targets: Array
    """[window, position]."""
    noise: Array | None
    """[window], a key for each; None where nothing is left out. See `noise_keys`."""
    share: float
    """How much of the whole batch it is: its windows over all windows of the batch."""

    @property
    def given(self) -> dict[str, Array]:
        """What a graph that is run on it is given."""
        given = {"ids": self.ids, "targets": self.targets}
        return given if self.noise is None else given | {"noise": self.noise}


class Learner(Protocol):
    """What an engine does in a training on text."""

    @property
    def execution(self) -> Execution:
        """How it was asked to train."""
        ...

    def environment(self) -> Environment:
        """Where it trains."""
        ...

    @property
    def graph(self) -> Graph:
        """The decoder as it is trained, with dropout."""
        ...

    @property
    def precision(self) -> str:
        """The type of its numbers, for words about what left their range."""
        ...

    @property
    def parameters(self) -> Mapping[str, Array]:
        """As they now stand."""
        ...

    def loss_and_gradients(self, parts: Sequence[Part]) -> tuple[float, float]:
        """Work out the gradients of a batch, to be moved along by `move`.

        Returns:
            The mean loss over all tokens of the batch, in nats, and the length of its gradient.
        """
        ...

    def move(self, *, norm: float, learning_rate: float) -> None:
        """Clip the gradients, whose length is `norm`, and let the optimizer take a step."""
        ...

    def losses(self, ids: Array, targets: Array) -> Array:
        """The loss at each target, in nats, nothing left out: [window, position]; 0 at a −1."""
        ...

    def rehearse(self, part: Part) -> None:
        """Run a part forwards and backwards, for its time; the parameters do not move."""
        ...

    def memory_needed(self, windows: int, block_size: int) -> int:
        """Bytes of all that is held at the height of a step that runs so many windows at once."""
        ...

    def memory_there(self) -> int | None:
        """Bytes that can be had for it, or None where the system does not say."""
        ...

    def is_finite(self) -> bool:
        """Whether every parameter is a finite number."""
        ...

    def diagnosis(self, parts: Sequence[Part]) -> str:
        """A sentence on the first number that is not finite when these are run; "" for none."""
        ...

    def state(self) -> dict[str, Array]:
        """What the optimizer remembers, laid end to end, as `moments.whole` reads it."""
        ...

    def restore(self, moments: Moments) -> None:
        """Have the optimizer remember what this or another engine's did."""
        ...


class Sharded(Learner, Protocol):
    """A learner that has some rows of every parameter, as others have the others."""

    @property
    def shard(self) -> int:
        """Which rows, counted from 0."""
        ...

    @property
    def shards(self) -> int:
        """In how many parts the parameters are divided."""
        ...

    @property
    def is_written(self) -> bool:
        """Whether it is this process that writes these rows."""
        ...

    def parameter_rows(self) -> Mapping[str, Array]:
        """The rows of the parameters by name, as they now stand."""
        ...

    def rows(self) -> dict[str, Array]:
        """Copies of the rows: of parameters by name, and of moments by "exp_avg/NAME"."""
        ...
