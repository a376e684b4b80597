"""The matrix block: a labelled table of numbers, and how a tensor becomes one or many of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.errors import PellucidError, did_you_mean

if TYPE_CHECKING:
    from pellucid.trace.tensor import TracedTensor

MatrixKind = Literal["signed", "probability", "weight", "ids", "plain"]
"""How numbers are to be read: about zero, from 0 to 1, as parameters, as ids, or bare."""

_KIND_BY_ENDING: dict[str, MatrixKind] = {
    "pattern": "probability",
    "rollout": "probability",
    "probs": "probability",
    "mean": "plain",
    "rstd": "plain",
    "max": "plain",
    "sum": "plain",
    "log_sum": "plain",
    "cdf": "probability",
    "loss": "plain",
    "per_position": "plain",
    "token_embedding": "weight",
    "position_embedding": "weight",
    "gamma": "weight",
    "beta": "weight",
    "w": "weight",
    "b": "weight",
}
_SEQUENCES = ("position", "query", "key", "head", "kv_head")
_HEADS = ("head", "kv_head")


@dataclass(frozen=True)
class Axis:
    """One side of a matrix: the dim's name and a label for each index (None: the index itself)."""

    dim: str
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class Matrix:
    """A labelled table of numbers `[row, column]`, shown as computed.

    `name` is the tensor these values belong to, so that a medium can link to it; `latex` is the
    equation for one that can set it. `limit` is the magnitude at which colours are strongest, for
    matrices that are to be read side by side; without it that is the largest finite one (1 for
    probabilities). `words` has a label for each cell, such as the token whose probability it is: it
    stands there instead of the number, which its colour shows, or beside it. `decimals` is how many
    are written at most, where small numbers among large ones matter little.
    Raises ValueError when values and labels disagree.
    """

    title: str
    values: NDArray[Any]
    rows: Axis
    columns: Axis
    name: str | None = None
    kind: MatrixKind = "signed"
    equation: str | None = None
    note: str | None = None
    limit: float | None = None
    latex: str | None = None
    words: tuple[tuple[str, ...], ...] | None = None
    decimals: int | None = None

    def __post_init__(self) -> None:
        values = frozen(self.values)
        if values.ndim != 2:
            raise ValueError(f"a matrix has 2 dims, these values have {values.ndim}")
        for axis, size in zip((self.rows, self.columns), values.shape, strict=True):
            if axis.labels is not None and len(axis.labels) != size:
                raise ValueError(f"{len(axis.labels)} labels for {size} indices of {axis.dim}")
        if self.words is not None:
            words = tuple(map(tuple, self.words))
            if [len(row) for row in words] != [values.shape[1]] * len(values):
                raise ValueError(f"words are not {values.shape[0]} rows of {values.shape[1]}")
            object.__setattr__(self, "words", words)
        object.__setattr__(self, "values", values)

    @classmethod
    def of(
        cls,
        tensor: TracedTensor,
        *,
        title: str | None = None,
        kind: MatrixKind | None = None,
        note: str | None = None,
        **at: int,
    ) -> Matrix:
        """Show a tensor, or what it holds `at` one index of some dims: `Matrix.of(q, head=0)`.

        Dims of size 1 fold away until two are left; a lone dim of positions or heads stands
        upright, any other lies down. Raises PellucidError for a dim or an index that the tensor
        does not have, and when more than two dims remain.
        """
        values = tensor.values[tuple(_slice(tensor, at, dim) for dim in tensor.dims)]
        labels = {dim: _labels(tensor, dim, at.get(dim)) for dim in tensor.dims}
        dims, folded = _fold(tensor.dims, values.shape)
        if len(dims) > 2:
            choice = ", ".join(f"{dim}=0" for dim in dims[:-2])
            raise PellucidError(
                f"{tensor.name} has {len(dims)} dims ({' '.join(dims)}), a matrix has 2: "
                f"choose one slice, such as {choice}, or use Matrix.each"
            )
        rows, columns = _sides(dims)
        sizes = dict(zip(tensor.dims, values.shape, strict=True))
        shown = [_place(dim, labels[dim], at) for dim in folded if dim in at or dim not in _HEADS]
        return cls(
            title=", ".join([title or tensor.title or tensor.name, *shown]),
            values=values.reshape(sizes.get(rows, 1), sizes.get(columns, 1)),
            rows=Axis(rows, labels.get(rows, ("",))),
            columns=Axis(columns, labels.get(columns, ("",))),
            name=tensor.name,
            kind=kind or kind_of(tensor),
            equation=tensor.equation or None,
            note=note,
            latex=tensor.latex or None,
        )

    @classmethod
    def each(
        cls,
        tensor: TracedTensor,
        *,
        title: str | None = None,
        kind: MatrixKind | None = None,
        note: str | None = None,
    ) -> tuple[Matrix, ...]:
        """Show a whole tensor: one matrix for each index of the dims before the last two."""
        dims, _ = _fold(tensor.dims, tensor.values.shape)
        sizes = dict(zip(tensor.dims, tensor.values.shape, strict=True))
        places = product(*(range(sizes[dim]) for dim in dims[:-2]))
        return tuple(
            cls.of(
                tensor, title=title, kind=kind, note=note, **dict(zip(dims, place, strict=False))
            )
            for place in places
        )


def kind_of(tensor: TracedTensor) -> MatrixKind:
    """How a tensor's numbers are to be read, by its name and its type."""
    if tensor.values.dtype.kind in "iu":
        return "ids"
    ending = tensor.name.rpartition(".")[2]
    if tensor.name.startswith("d loss / d "):
        return "signed"
    if ending.startswith(("w_", "b_")):
        return "weight"
    return _KIND_BY_ENDING.get(ending, "signed")


def frozen(values: ArrayLike) -> NDArray[Any]:
    """A read-only array; a copy where the caller could still write into the original."""
    array = np.asarray(values)
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array


def _slice(tensor: TracedTensor, at: Mapping[str, int], dim: str) -> slice:
    """The indices of `dim` to keep: all, or the one asked for (as a dim of size 1)."""
    for asked in at:
        if asked not in tensor.dims:
            known = did_you_mean(asked, tensor.dims) or f" It has {' '.join(tensor.dims)}."
            raise PellucidError(f"{tensor.name} has no dim {asked!r}.{known}")
    if dim not in at:
        return slice(None)
    index, size = at[dim], tensor.values.shape[tensor.dims.index(dim)]
    if not -size <= index < size:
        raise PellucidError(f"{dim}={index} is out of range: {tensor.name} has {size}, from 0")
    return slice(index % size, index % size + 1)


def _labels(tensor: TracedTensor, dim: str, index: int | None) -> tuple[str, ...] | None:
    """The labels of `dim`; of one index alone where one was asked for."""
    labels: tuple[str, ...] | None = tensor.labels.get(dim)
    if index is None:
        return labels
    size = tensor.values.shape[tensor.dims.index(dim)]
    return (labels[index] if labels is not None else str(index % size),)


def _fold(dims: tuple[str, ...], shape: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split dims into those that stay and those of size 1 that fold away, down to two."""
    stay, folded = list(dims), []
    for dim, size in zip(dims, shape, strict=True):
        if size == 1 and len(stay) > 2:
            stay.remove(dim)
            folded.append(dim)
    return tuple(stay), tuple(folded)


def _sides(dims: tuple[str, ...]) -> tuple[str, str]:
    """Which dim runs down and which runs across; "" for a side that is not there."""
    if len(dims) == 2:
        return dims[0], dims[1]
    if not dims:
        return "", ""
    return (dims[0], "") if dims[0] in _SEQUENCES else ("", dims[0])


def _place(dim: str, labels: tuple[str, ...] | None, at: Mapping[str, int]) -> str:
    """Words for the one index that a folded dim holds: "head 3", "position 2 (groot)"."""
    label = labels[0] if labels is not None else "0"
    if dim == "step":
        # Of a training: the number that counts, whichever place it has in the film.
        return f"step {label}"
    if dim not in at or label == str(at[dim]):
        return f"{dim} {label}"
    return f"{dim} {at[dim]} ({label})"
