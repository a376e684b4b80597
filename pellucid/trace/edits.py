"""Edits: changes to a run, as data. Made here, applied in order, and gone when the run is over.

Each works on some cells of one tensor, or of one parameter: those at the given places along the
dims that are named, and at every place along all others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from pellucid.errors import PellucidError
from pellucid.trace.numbers import (
    Numbers,
    Value,
    as_numbers,
    check_value,
    read_finite,
    read_value,
    say,
)
from pellucid.trace.places import Places, as_places, find_all, in_brackets, read_index

if TYPE_CHECKING:
    from pellucid.trace.trace import Trace

MOST_STEPS = 2**31
"""No generation has more steps; a number far above would not fit an array's integers."""


class Common(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="edit", forbid_unknown_fields=True,
    omit_defaults=True,
):  # fmt: skip
    """What all edits have in common: the steps of a generation at which they apply; None for all.

    A trace is the first step of a generation, step 0.
    """

    steps: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        """Raise PellucidError for what JSON may hold and no edit does."""
        read_steps(self.steps)

    @property
    def verb(self) -> str:
        """What it does, by the name of the function that makes it."""
        return str(self.__struct_config__.tag)

    @property
    def operand(self) -> str:
        """What it does it with, in words."""
        return ""

    @property
    def words(self) -> str:
        """What it does, without the tensor: "scale 2"."""
        return f"{self.verb} {self.operand}".strip()

    @property
    def place(self) -> str:
        """Where it does it."""
        raise NotImplementedError

    def __str__(self) -> str:
        at = "" if self.steps is None else f" at {','.join(map(str, self.steps))}"
        return f"{self.verb} {self.place} {self.operand}".strip() + at


class OnTensor(Common, frozen=True, kw_only=True):
    """An edit of cells of one tensor or parameter, by its name or an alias."""

    name: str
    cell: dict[str, Places] = {}

    @property
    def place(self) -> str:
        return f"{self.name}{in_brackets(self.cell)}"


class Zero(OnTensor, frozen=True, kw_only=True, tag="zero"):
    """Cells become 0."""


class SetTo(OnTensor, frozen=True, kw_only=True, tag="set_to"):
    """Cells become given numbers."""

    value: Value

    def __post_init__(self) -> None:
        super().__post_init__()
        check_value(self.value)

    @property
    def operand(self) -> str:
        return say(self.value)


class Scale(OnTensor, frozen=True, kw_only=True, tag="scale"):
    """Cells are multiplied by a factor; −∞ stays."""

    factor: float

    def __post_init__(self) -> None:
        super().__post_init__()
        read_finite(self.factor)

    @property
    def operand(self) -> str:
        return say(self.factor)


class Add(OnTensor, frozen=True, kw_only=True, tag="add"):
    """Given numbers are added to cells; −∞ stays."""

    value: Value

    def __post_init__(self) -> None:
        super().__post_init__()
        check_value(self.value)

    @property
    def operand(self) -> str:
        return say(self.value)


class MeanOver(OnTensor, frozen=True, kw_only=True, tag="mean_over"):
    """Cells become their mean along one dim."""

    dim: str

    @property
    def operand(self) -> str:
        return self.dim


class CopyFrom(OnTensor, frozen=True, kw_only=True, tag="copy_from"):
    """Cells become what they were in another run, whose numbers the edit carries."""

    value: Numbers

    @property
    def operand(self) -> str:
        return say(self.value)


class MaskAttention(Common, frozen=True, kw_only=True, tag="mask_attention"):
    """Queries no longer see keys: their scores become −∞, in some layers and heads or in all."""

    query: Places | None = None
    key: Places | None = None
    layer: int | tuple[int, ...] | None = None
    head: Places | None = None

    @property
    def cell(self) -> dict[str, Places]:
        """The places along the dims of scores."""
        places = {"head": self.head, "query": self.query, "key": self.key}
        return {dim: place for dim, place in places.items() if place is not None}

    @property
    def place(self) -> str:
        layer = {} if self.layer is None else {"layer": self.layer}
        return in_brackets({**self.cell, **layer})


Edit = Zero | SetTo | Scale | Add | MeanOver | CopyFrom | MaskAttention


def as_edits(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """What was given as edits, if it is.

    Raises:
        PellucidError: it is a single edit, or one of them is none.
    """
    if isinstance(edits, Common | str):
        raise PellucidError(f"edits are several in a list: give edits=[{edits!s}].")
    given = tuple(edits)
    for each in given:
        if not isinstance(each, Edit):
            raise PellucidError(
                f"{each!r} is no edit: make one by pellucid.zero(…) or another of its kind, or of "
                f"words by pellucid.read_edit(…)."
            )
    return given


def zero(name: str, *, at_steps: Iterable[int] | None = None, **cell: Any) -> Edit:
    """Set cells to 0: `zero("blocks.0.attn.pattern", head=0)`.

    Args:
        name: of a tensor, an intermediate or a parameter.
        at_steps: the steps of a generation at which the edit applies, counted from 0, the reading
            of the prompt; all of them unless given.
        **cell: for each dim that is named an index (negative from the end), a label, several of
            these in a list, or a slice. Along all other dims every place is meant.
    """
    return Zero(name=name, cell=as_places(cell), steps=read_steps(at_steps))


def set_to(name: str, value: Any, *, at_steps: Iterable[int] | None = None, **cell: Any) -> Edit:
    """Set cells to `value`: a number, or an array of the shape of `values[cells]`.

    A dim of which a single place is named may be left out of the array; an array with fewer dims,
    or 1 long along one, spreads as NumPy's do. −∞ is a number here. Else as `zero`.

    Raises:
        PellucidError: a number is NaN or +∞.
    """
    steps = read_steps(at_steps)
    return SetTo(name=name, value=read_value(value), cell=as_places(cell), steps=steps)


def scale(name: str, factor: float, *, at_steps: Iterable[int] | None = None, **cell: Any) -> Edit:
    """Multiply cells by a factor; what is −∞ stays. Else as `zero`.

    Raises:
        PellucidError: the factor is not finite.
    """
    steps = read_steps(at_steps)
    return Scale(name=name, factor=read_finite(factor), cell=as_places(cell), steps=steps)


def add(name: str, value: Any, *, at_steps: Iterable[int] | None = None, **cell: Any) -> Edit:
    """Add `value` to cells, a number or an array as in `set_to`; what is −∞ stays.

    Raises:
        PellucidError: a number is NaN or +∞.
    """
    steps = read_steps(at_steps)
    return Add(name=name, value=read_value(value), cell=as_places(cell), steps=steps)


def mean_over(name: str, dim: str, *, at_steps: Iterable[int] | None = None, **cell: Any) -> Edit:
    """Set cells to their mean along a dim: of those that are chosen along it. Else as `zero`."""
    return MeanOver(name=name, dim=dim, cell=as_places(cell), steps=read_steps(at_steps))


def copy_from(
    name: str, trace: Trace, *, at_steps: Iterable[int] | None = None, **cell: Any
) -> Edit:
    """Set cells to what another run has there; the edit carries the numbers. Else as `zero`.

    Labels are looked up in either text by itself; there must be as many cells in both.

    Raises:
        PellucidError: the trace has no such tensor or no such cells.
    """
    places = as_places(cell)
    tensor = trace[name]
    index = find_all(tensor, places)
    sizes = zip(index, tensor.shape, strict=True)
    meet = np.ix_(*(np.arange(size) if place is None else place for place, size in sizes))
    value = as_numbers(tensor.values[meet] if index else tensor.values)
    return CopyFrom(name=name, value=value, cell=places, steps=read_steps(at_steps))


def mask_attention(
    *,
    query: Any = None,
    key: Any = None,
    layer: int | Iterable[int] | None = None,
    head: Any = None,
    at_steps: Iterable[int] | None = None,
) -> Edit:
    """Let queries no longer see keys: `mask_attention(query="groot", key="i")`.

    Args:
        query, key, head: places along these dims, as in `zero`; all of them unless given.
        layer: the number of a block, or of several; all of them unless given.
        at_steps: as in `zero`.
    """
    places = as_places({"query": query, "key": key, "head": head})
    layers = None if layer is None else read_layers(layer)
    return MaskAttention(**places, layer=layers, steps=read_steps(at_steps))


def read_layers(layer: int | Iterable[int]) -> int | tuple[int, ...]:
    """Numbers of blocks."""
    if isinstance(layer, Iterable):
        return tuple(read_index("layer", each) for each in layer)
    return read_index("layer", layer)


def read_steps(steps: Iterable[int] | None) -> tuple[int, ...] | None:
    """Numbers of steps, in order.

    Raises:
        PellucidError: one is no whole number, below 0 or more than there can be; or there are none.
    """
    if steps is None:
        return None
    found = tuple(sorted({read_index("at_steps", step) for step in steps}))
    if not found or found[0] < 0:
        raise PellucidError("at_steps are numbers of steps, counted from 0: give one or more.")
    if found[-1] > MOST_STEPS:
        raise PellucidError(f"at_steps={found[-1]} is a step that no generation comes to.")
    return found
