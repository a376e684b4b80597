"""What a check of one tensor found, and where it came closest to failing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pellucid.ops.operation import Array
from pellucid.trace.cell import name_cell

if TYPE_CHECKING:
    from pellucid.trace.trace import Trace

RUN_TOLERANCE = {"float32": 1e-4, "float64": 1e-10}
"""How far two runs of one model may be apart, relative to a tensor's largest number."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check of one tensor found.

    `worst` is the largest error as a part of what is allowed: up to 1 the check holds. `where`
    names the cell it was found at.
    """

    tensor: str
    check: str
    cells: int
    worst: float
    where: str

    @property
    def holds(self) -> bool:
        return self.worst <= 1


def sample(
    shape: tuple[int, ...], cells: int | None, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """So many cells of a tensor, each once; all of them for None."""
    size = int(np.prod(shape, dtype=int))
    flat = np.arange(size)
    if cells is not None and cells < size:
        flat = np.unique(rng.integers(0, size, cells))
    return [tuple(int(i) for i in np.unravel_index(place, shape)) for place in flat]


def part(error: float, allowed: float) -> float:
    """An error as a part of what is allowed; none is 0 even where none is allowed."""
    if error == 0:
        return 0.0
    return float(error / allowed) if allowed > 0 else float("inf")


def worst_of(
    trace: Trace, name: str, what: str, pairs: list[tuple[float, tuple[int, ...]]]
) -> Finding:
    """The finding for cells whose errors are known one by one; NaN is the worst there is."""
    worst, index = max(
        pairs, key=lambda pair: np.inf if np.isnan(pair[0]) else pair[0], default=(0.0, None)
    )
    where = "" if index is None else name_cell(trace[name], index)
    return Finding(name, what, len(pairs), float("inf") if np.isnan(worst) else worst, where)


def finding(trace: Trace, name: str, what: str, errors: Array) -> Finding:
    """The finding for an array of errors, each as a part of what is allowed."""
    errors = np.where(np.isnan(errors), np.inf, errors)
    if not errors.size:
        return Finding(name, what, 0, 0.0, "")
    index = tuple(int(i) for i in np.unravel_index(int(errors.argmax()), errors.shape))
    tensor = trace[name]
    where = name_cell(tensor, index) if len(index) == len(tensor.dims) else str(list(index))
    return Finding(name, what, errors.size, float(errors.max()), where)
