"""Frames: the parameters of a model at several steps of its training, in memory or in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pellucid.ops.operation import Array

Rows = Mapping[str, tuple[int, Array]]
"""By name the number of the first row, and the rows."""


@dataclass(frozen=True, eq=False)
class Frames:
    """`arrays` are by name [step, …]; `steps` says which step each place holds, in order."""

    steps: tuple[int, ...]
    unit: str
    """What is counted: "step" or "epoch"."""
    arrays: Mapping[str, Array]

    def at(self, place: int) -> dict[str, Array]:
        """The parameters at one place, as they are kept."""
        return {name: array[place] for name, array in self.arrays.items()}


class FilmInMemory:
    """What `FilmFile` is on disk, for a training that is not saved."""

    def __init__(
        self,
        shapes: Mapping[str, Sequence[int]],
        *,
        dtype: str,
        planned: tuple[int, ...],
        unit: str,
    ) -> None:
        """Make room for parameters of these shapes at each planned step."""
        self.planned = planned
        self.unit = unit
        self.dtype = dtype
        self.made = 0
        self.arrays: dict[str, Array] = {
            name: np.empty((len(planned), *shape), dtype) for name, shape in shapes.items()
        }

    def frames(self) -> Frames:
        """What has been kept, closed to writing."""
        kept = {name: array[: self.made] for name, array in self.arrays.items()}
        for array in kept.values():
            array.flags.writeable = False
        return Frames(self.planned[: self.made], self.unit, kept)

    def write(self, place: int, rows: Rows) -> None:
        """Write parameters, or rows of them, at a place."""
        # What is too large for 16 bits is infinite.
        with np.errstate(over="ignore"):
            for name, (first, array) in rows.items():
                self.arrays[name][place, first : first + len(array)] = array

    def mark(self, place: int) -> None:
        """Say that everything of a place has been written; places are filled in order."""
        self.made = place + 1

    def flush(self) -> None:
        """Nothing: there is no disk to wait for."""
