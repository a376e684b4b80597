"""A cell as it is typed: `blocks.0.attn.scores[query=am,key=i]`."""

from __future__ import annotations

import re

from pellucid.errors import PellucidError

WHOLE = re.compile(r"""\s*([^\[\]\s][^\[\]]*?)\s*(?:\[(.*)\])?\s*""", re.DOTALL)
PLACE = re.compile(r"""\s*(\w+)\s*=\s*("(?:[^"\\]|\\.)*"|[^,"]+?)\s*(?:,|$)""", re.DOTALL)
INDEX = re.compile(r"[-+]?\d{1,18}", re.ASCII)
"""No dim is so long that its index has more digits."""


def read_cell(text: str) -> tuple[str, dict[str, int | str]]:
    """A tensor's name and a place along each dim.

    An unquoted whole number is an index, anything else a label; in quotes it is a label whatever
    it is, with `\\"` for a quote in it.

    Raises:
        PellucidError: it is not written like that.
    """
    whole = WHOLE.fullmatch(text)
    if whole is None:
        raise PellucidError(f"{text!r} names no cell. {HOW}")
    name, inside = whole.groups()
    places: dict[str, int | str] = {}
    at = 0
    while inside and at < len(inside.rstrip()):
        place = PLACE.match(inside, at)
        if place is None:
            raise PellucidError(f"{inside[at:].strip()!r} is not a place along a dim. {HOW}")
        dim, value = place.groups()
        if dim in places:
            raise PellucidError(f"{dim} is given twice in {text!r}.")
        places[dim] = read_place(value)
        at = place.end()
    return name, places


def read_place(value: str) -> int | str:
    """An index, or a label."""
    if value.startswith('"'):
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return int(value) if INDEX.fullmatch(value) else value


HOW = 'Write it as NAME[dim=place,dim=place]: an index, a label, or a label in "quotes".'
