"""Arrays for a page: in one row of float32 numbers, with the place of each."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def pack(arrays: Mapping[str, NDArray[Any]]) -> tuple[dict[str, dict[str, Any]], str]:
    """Put arrays one after the other.

    Returns:
        For each its `shape` and its `offset`, counted in numbers; and the numbers in base64,
        little endian.
    """
    slots: dict[str, dict[str, Any]] = {}
    start = 0
    for name, array in arrays.items():
        slots[name] = {"shape": list(array.shape), "offset": start}
        start += array.size
    numbers = [np.ravel(array).astype("<f4") for array in arrays.values()]
    flat = np.concatenate([*numbers, np.empty(0, "<f4")])
    return slots, base64.b64encode(flat.tobytes()).decode("ascii")
