"""Parameters that a model holds without copying them: as they are, or in 16 bits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pellucid.ops.half import HalfMatrix
from pellucid.ops.operation import Array


def shared(arrays: Mapping[str, Any], dtype: str) -> dict[str, Any]:
    """The arrays themselves where they are of `dtype`, closed to writing through these views.

    A `HalfMatrix` is of float32. What lies askew in memory, as a mapped file may have it, is
    copied: products are slow on it.
    """
    return {name: share(array, dtype) for name, array in arrays.items()}


def share(array: Any, dtype: str) -> Any:
    """One of them."""
    if isinstance(array, HalfMatrix) and array.dtype == dtype:
        return array
    view = np.require(np.asarray(array, dtype=dtype), requirements="A").view()
    view.flags.writeable = False
    return view


class WidenedOnUse(Mapping[str, Array]):
    """Parameters of which some are kept in 16 bits: each access makes float32 of them."""

    def __init__(self, held: Mapping[str, Any]) -> None:
        self.held = held

    def __getitem__(self, name: str) -> Array:
        array = self.held[name]
        wide: Array = np.asarray(array)
        if isinstance(array, HalfMatrix):
            wide.flags.writeable = False
        return wide

    def __iter__(self) -> Iterator[str]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)
