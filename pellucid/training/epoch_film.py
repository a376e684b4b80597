"""EpochFilm: keeps the parameters of a training on sentences, epoch by epoch, in memory."""

from __future__ import annotations

from collections.abc import Mapping

from pellucid.ops.operation import Array
from pellucid.training.film_plan import FilmPlan
from pellucid.training.frames import FilmInMemory
from pellucid.training.history import Epoch
from pellucid.training.loop import OnEpoch


class EpochFilm(FilmInMemory):
    """Keeps parameters after the epochs of a plan, and the fresh ones as those of epoch 0."""

    def __init__(self, plan: FilmPlan, parameters: Mapping[str, Array], epochs: int) -> None:
        """Keep the parameters as they are before the first epoch, if the plan says so.

        Raises:
            PellucidError: the training has no such epoch, or they are too many.
        """
        first = next(iter(parameters.values()))
        super().__init__(
            {name: array.shape for name, array in parameters.items()},
            dtype=plan.dtype(first.dtype.name),
            planned=plan.moments(epochs, unit="epoch"),
            unit="epoch",
        )
        self.parameters = parameters
        self.take(0)

    def take(self, epoch: int) -> None:
        """Keep the parameters as they now stand, if this is an epoch to keep."""
        if self.made < len(self.planned) and self.planned[self.made] == epoch:
            self.write(self.made, {name: (0, array) for name, array in self.parameters.items()})
            self.mark(self.made)

    def after_each(self, on_epoch: OnEpoch | None) -> OnEpoch:
        """What hears of each epoch: first the film, then whoever else would."""

        def hear(epoch: Epoch) -> None:
            self.take(epoch.number)
            if on_epoch is not None:
                on_epoch(epoch)

        return hear
