"""How far two floating-point numbers are apart, absolutely and in units of the last place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pellucid.ops.operation import Array


def difference(a: Array, b: Array) -> Array:
    """|a − b| cell by cell, in float64.

    0 where both are the same infinity or both are NaN; ∞ where only one of them is.
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(a - b)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    return np.where(same, 0.0, np.where(np.isnan(error), np.inf, error))


def in_last_places(error: Array, a: Array, b: Array, dtype: Any) -> Array:
    """Errors in units of the last place that the larger of `a` and `b` has in `dtype`.

    Below the smallest normal number a unit is as large as there.
    """
    limits = np.finfo(dtype)
    larger = np.fmax(np.abs(np.asarray(a, np.float64)), np.abs(np.asarray(b, np.float64)))
    # From the last power of two on, the next number up would be infinite.
    larger = np.clip(np.nan_to_num(larger, posinf=np.inf), limits.tiny, 2.0 ** (limits.maxexp - 1))
    units: Array = np.spacing(larger.astype(dtype)).astype(np.float64)
    return error / units


def roundoff(dtype: Any) -> float:
    """The largest relative error of rounding to `dtype`: 2⁻²⁴ for float32, 2⁻⁵³ for float64."""
    return float(np.finfo(dtype).eps) / 2


def coarsest(arrays: Iterable[Array]) -> str:
    """The floating-point type among `arrays` that rounds most; no finer than float64."""
    kinds = {np.dtype("float64"), *(array.dtype for array in arrays if array.dtype.kind == "f")}
    return max(kinds, key=lambda kind: float(np.finfo(kind).eps)).name
