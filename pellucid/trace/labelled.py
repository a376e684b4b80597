"""Tensors for the rest of Python: xarray's labelled arrays, and tables of pandas.

Along each dim every name stands once, as these libraries expect: see `names_along`.
"""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.errors import PellucidError
from pellucid.trace.tensor import TracedTensor

if TYPE_CHECKING:
    import pandas
    import xarray

    from pellucid.trace.trace import Trace


def array_of(tensor: TracedTensor) -> xarray.DataArray:
    """A tensor with its dims and labels; its title and equation are attributes."""
    about = {"title": tensor.title, "equation": tensor.equation}
    array: xarray.DataArray = needed("xarray").DataArray(
        tensor.values,
        dims=tensor.dims,
        coords={dim: names_along(tensor, dim) for dim in tensor.dims if dim in tensor.labels},
        name=tensor.name,
        attrs={key: words for key, words in about.items() if words},
    )
    return array


def dataset_of(trace: Trace) -> xarray.Dataset:
    """Every tensor that a trace kept, as a variable of its name."""
    arrays = {name: array_of(trace[name]) for name in trace.names}
    dataset: xarray.Dataset = needed("xarray").Dataset(arrays)
    return dataset


def frame_of(tensor: TracedTensor) -> pandas.DataFrame | pandas.Series[Any]:
    """A tensor as a table: the last dim across, all others down; with one dim or none, a series."""
    pandas = needed("pandas")
    *down, last = [index(pandas, tensor, dim) for dim in tensor.dims] or [None]
    if not down:
        values = tensor.values.reshape(-1)
        return pandas.Series(values.copy(), index=last, name=tensor.name)
    rows = down[0] if len(down) == 1 else pandas.MultiIndex.from_product(down)
    cells = tensor.values.reshape(-1, tensor.shape[-1])
    return pandas.DataFrame(cells.copy(), index=rows, columns=last)


def summary_of(trace: Trace) -> pandas.DataFrame:
    """A row for each tensor that a trace kept: its dims and shape, and how its numbers are spread.

    Mean, deviation, least and greatest are of the finite numbers; the others are counted.
    """
    rows = {name: spread(trace[name]) for name in trace.names}
    frame: pandas.DataFrame = needed("pandas").DataFrame.from_dict(rows, orient="index")
    return frame.rename_axis("tensor")


def spread(tensor: TracedTensor) -> dict[str, Any]:
    """One tensor in a row of figures."""
    numbers = tensor.values.astype(np.float64).reshape(-1)
    finite = numbers[np.isfinite(numbers)]
    known = bool(len(finite))
    return {
        "title": tensor.title,
        "dims": " ".join(tensor.dims),
        "shape": "×".join(map(str, tensor.shape)),
        "mean": finite.mean() if known else np.nan,
        "std": finite.std() if known else np.nan,
        "min": finite.min() if known else np.nan,
        "max": finite.max() if known else np.nan,
        "not_finite": len(numbers) - len(finite),
    }


def index(pandas: Any, tensor: TracedTensor, dim: str) -> Any:
    """The names along a dim, or its places where it has none."""
    size = tensor.shape[tensor.dims.index(dim)]
    names = names_along(tensor, dim) if dim in tensor.labels else range(size)
    return pandas.Index(names, name=dim)


def names_along(tensor: TracedTensor, dim: str) -> list[str]:
    """The labels along a dim; what stands at several places with its place, `groot@1`.

    So it is printed in cells, and so `find_label` reads it.
    """
    labels = tensor.labels[dim]
    counts = Counter(labels)
    names = [
        f"{label}@{place}" if counts[label] > 1 else label for place, label in enumerate(labels)
    ]
    if len(set(names)) == len(names):
        return names
    # A token itself reads like another with its place.
    return [f"{label}@{place}" for place, label in enumerate(labels)]


def needed(library: str) -> Any:
    """A library that is not needed otherwise.

    Raises:
        PellucidError: it is not installed.
    """
    try:
        return import_module(library)
    except ModuleNotFoundError:
        raise PellucidError(
            f"This needs {library}, which is not installed: pip install 'pellucid[notebook]'"
        ) from None
