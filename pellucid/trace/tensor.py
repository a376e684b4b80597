"""A tensor that knows what it is: values with a name, dims, labels, a title and an equation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.ops.operation import Array, Dims
from pellucid.showing import to_figure, to_html, to_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame, Series
    from xarray import DataArray

    from pellucid.trace.cell import Place

Labels = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TracedTensor:
    """One tensor of a trace, or one parameter.

    `values.shape` is exactly `dims`, and cannot be written to. `labels` has a tuple for each dim
    whose places have names: tokens along `position`, `query` and `key`, the vocabulary along
    `vocab`. `written` belongs to the keys and values of a generation: for each `key` the number of
    the step that wrote it.
    """

    name: str
    values: Array
    dims: Dims
    labels: Labels
    title: str
    equation: str
    written: tuple[int, ...] | None = None
    latex: str = ""

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def figure(
        self, *, theme: str = "light", size: str = "page", ax: Axes | None = None, **at: Place
    ) -> Figure:
        """Draw the tensor, or what it holds at one place along some dims: `.figure(head=0)`.

        Args:
            theme: "light" or "dark".
            size: "page", "slide" or "paper".
            ax: axes to draw one matrix into, instead of a figure of its own.
            **at: an index (negative from the end) or a label along a dim.

        Raises:
            PellucidError: there is no such place, or more than two dims are left.
        """
        return to_figure(self, theme=theme, size=size, ax=ax, **at)

    def to_xarray(self) -> DataArray:
        """The same as an `xarray.DataArray` with dims and labels: `.sel(query="groot")`.

        A label that stands at several places is named with its place: `.sel(query="groot@1")`.

        Raises:
            PellucidError: xarray is not installed.
        """
        from pellucid.trace.labelled import array_of

        return array_of(self)

    def to_pandas(self) -> DataFrame | Series[Any]:
        """The same as a table of pandas: the last dim across, all others down.

        A label that stands at several places is named with its place, `groot@1`.

        Raises:
            PellucidError: pandas is not installed.
        """
        from pellucid.trace.labelled import frame_of

        return frame_of(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The values, for NumPy functions."""
        return np.array(self.values, dtype=dtype, copy=copy)

    def __reduce__(self) -> tuple[Any, ...]:
        """What pickle and copy make a copy from; NumPy's own copies could be written to."""
        return restored, tuple(getattr(self, each.name) for each in fields(self))

    def __repr__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        return to_html(self)


def restored(*parts: Any) -> TracedTensor:
    """A tensor from copies of its parts."""
    tensor = TracedTensor(*parts)
    lock(tensor.values)
    return tensor


def lock(array: Array) -> Array:
    """The same array, closed to writing; what it is a view of is closed too."""
    for base in bases(array):
        base.flags.writeable = False
    return array


def bases(array: Array) -> Iterator[Array]:
    """The array, what it is a view of, and so on to the one that holds the memory."""
    base: Any = array
    while isinstance(base, np.ndarray):
        yield base
        base = base.base
