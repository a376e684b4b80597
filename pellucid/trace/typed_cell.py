"""A cell as it is typed, or printed: `scores[query=am,key=i]`, `scores[am, i]`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pellucid.errors import PellucidError
from pellucid.trace.cell import Place, describe
from pellucid.trace.tensor import TracedTensor

WHOLE = re.compile(r"""\s*([^\[\]\s][^\[\]]*?)\s*(?:\[(.*)\])?\s*""", re.DOTALL)
PLACE = re.compile(
    r"""\s*(?:(\w+)(?:\s+=\s*|=)(\s*"(?:[^"\\]|\\.)*"|[^,"]+?)|"""
    r"""("(?:[^"\\]|\\.)*"|[^,"=]+?))\s*(?:,|$)""",
    re.DOTALL,
)
INDEX = re.compile(r"[-+]?\d{1,18}", re.ASCII)
"""No dim is so long that its index has more digits."""


def read_cell(text: str) -> tuple[str, dict[str, int | str], list[int | str]]:
    """A tensor's name, the places along dims that are named, and those that only stand in order.

    An unquoted whole number is an index, anything else a label; in quotes it is a label whatever
    it is, with `\\"` for a quote in it. In `vocab= Paris` the space is of the label: spaces for the
    eye stand on both sides of `=`.

    Raises:
        PellucidError: it is not written like that.
    """
    whole = WHOLE.fullmatch(text)
    if whole is None:
        raise PellucidError(f"{text!r} names no cell. {HOW}")
    name, inside = whole.groups()
    places: dict[str, int | str] = {}
    bare: list[int | str] = []
    at = 0
    while inside and at < len(inside.rstrip()):
        place = PLACE.match(inside, at)
        if place is None:
            raise PellucidError(f"{inside[at:].strip()!r} is not a place along a dim. {HOW}")
        dim, value, alone = place.groups()
        if dim in places:
            raise PellucidError(f"{dim} is given twice in {text!r}.")
        if dim is None:
            bare.append(read_place(alone))
        else:
            places[dim] = read_place(value)
        at = place.end()
    return name, places, bare


def read_place(value: str) -> int | str:
    """An index, or a label."""
    bare = value.strip()
    if bare.startswith('"'):
        return re.sub(r"\\(.)", r"\1", bare[1:-1])
    return int(bare) if INDEX.fullmatch(bare) else value


def place_in_order(
    tensor: TracedTensor, places: Mapping[str, Place], bare: Sequence[int | str]
) -> dict[str, Place]:
    """Give each place without a dim the next dim that is longer than 1 and not named.

    Raises:
        PellucidError: there are more of them than such dims.
    """
    sizes = zip(tensor.dims, tensor.shape, strict=True)
    free = [dim for dim, size in sizes if dim not in places and (size > 1 or tensor.shape == (1,))]
    if len(bare) > len(free):
        raise PellucidError(
            f"{tensor.name} has no dim for {bare[len(free)]!r}: {describe(tensor)}."
        )
    return {**dict(zip(free, bare, strict=False)), **places}


HOW = 'Write it as NAME[dim=place,dim=place]: an index, a label, or a label in "quotes".'
