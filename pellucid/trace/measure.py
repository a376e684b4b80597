"""How far one tensor is from another: the largest error and where it is, and the typical one."""

from __future__ import annotations

import numpy as np

from pellucid.ops.operation import Array
from pellucid.trace.cell import name_cell
from pellucid.trace.comparison import TensorDifference
from pellucid.trace.tensor import TracedTensor
from pellucid.trace.ulp import difference, in_last_places


def measure(tensor: TracedTensor, b: Array, dtype: str) -> TensorDifference:
    """A tensor of `a` against its numbers in `b`, in units of the last place of `dtype`.

    The kind is "equal", "noise" for any difference in numbers, or "fault" for one in shape.
    """
    a = tensor.values
    if a.shape != b.shape:
        return misshapen(tensor, b)
    error = difference(a, b)
    ulps = in_last_places(error, a, b, dtype)
    index = tuple(int(i) for i in np.unravel_index(int(error.argmax()), error.shape))
    sizes = np.abs([np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)])
    return TensorDifference(
        name=tensor.name,
        dims=tensor.dims,
        shape=a.shape,
        shape_in_b=b.shape,
        kind="noise" if error.any() else "equal",
        largest=float(error[index]),
        largest_ulps=float(ulps[index]),
        typical=float(np.median(error)),
        typical_ulps=float(np.median(ulps)),
        magnitude=float(sizes[np.isfinite(sizes)].max(initial=0.0)),
        cell=dict(zip(tensor.dims, index, strict=True)),
        where=name_cell(tensor, index),
        a=float(a[index]),
        b=float(b[index]),
        nans=int((np.isnan(a) & np.isnan(b)).sum()),
        relative=for_its_size(error, a),
    )


def for_its_size(error: Array, a: Array) -> float:
    """The root mean square of errors as a multiple of that of the finite numbers `a`.

    0 without errors; ∞ where a number became infinite, or something came of nothing but zeros.
    """
    if not error.any():
        return 0.0
    with np.errstate(over="ignore"):
        # Sums of squares by NumPy itself: the threads of a matrix library cost more than they save.
        moved, size = (
            np.sqrt(np.square(x, dtype=np.float64).sum()) for x in (error, a[np.isfinite(a)])
        )
    return float(moved / size) if size else np.inf


def misshapen(tensor: TracedTensor, b: Array) -> TensorDifference:
    """A tensor whose numbers in `b` cannot be laid beside it."""
    return TensorDifference(
        name=tensor.name,
        dims=tensor.dims,
        shape=tensor.shape,
        shape_in_b=b.shape,
        kind="fault",
        largest=np.inf,
        largest_ulps=np.inf,
        typical=np.inf,
        typical_ulps=np.inf,
        magnitude=np.inf,
        cell={},
        where="",
        a=np.nan,
        b=np.nan,
        relative=np.inf,
    )
