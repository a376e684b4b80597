"""An edit as it is typed, or printed: `zero blocks.0.attn.pattern[head=0,query=am|i]`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pellucid.errors import PellucidError, did_you_mean
from pellucid.trace import edits
from pellucid.trace.edits import Edit
from pellucid.trace.places import Places, Span
from pellucid.trace.typed_cell import read_place

if TYPE_CHECKING:
    from pellucid.trace.trace import Trace

QUOTED = r'"(?:[^"\\]|\\.)*"'
CELL = rf'(?:\[(?P<cell>(?:[^"\]]|{QUOTED})*)\])?'
END = r"(?:\s+(?P<operand>(?!at\s).+?))?(?:\s+at\s+(?P<steps>\d+(?:\s*,\s*\d+)*))?\s*"
WITH_NAME = re.compile(rf"\s*(?P<verb>\w+)\s+(?P<name>[^\s\[\]]+){CELL}{END}", re.DOTALL)
WITHOUT = re.compile(rf"\s*(?P<verb>mask_attention)\s*{CELL}{END}", re.DOTALL)
PIECE = rf'\s*{QUOTED}|[^,"|]+?'
PLACES = re.compile(rf"\s*(\w+)(?:\s+=\s*|=)((?:{PIECE})(?:\|(?:{PIECE}))*)\s*(?:,|$)", re.DOTALL)
EACH = re.compile(rf"({PIECE})\s*(?:\||$)", re.DOTALL)
SPAN = re.compile(r"\s*(-?\d*):(-?\d*)(?::(-?\d+))?\s*", re.ASCII)
VERBS = ("zero", "set_to", "scale", "add", "mean_over", "copy_from", "mask_attention")
HOW = f"Write it as VERB NAME[dim=place,dim=place] VALUE, the verb one of {', '.join(VERBS)}."


def read_edit(text: str) -> Edit:
    """An edit from its words.

    Verbs are the names of the functions: `zero NAME`, `set_to NAME 0.5`, `scale NAME 2`,
    `add NAME -1`, `mean_over NAME position`, `copy_from NAME trace.safetensors`, and
    `mask_attention [query=groot,key=i,layer=0]`. `NAME[head=0,key=am|i,query=1:3]` names cells: an
    index, a label (in quotes where it looks like anything else), several of these, a span. `at 0,2`
    at the end names steps of a generation.

    Raises:
        PellucidError: it is not written like that.
    """
    found = WITHOUT.fullmatch(text) or WITH_NAME.fullmatch(text)
    if found is None:
        raise PellucidError(f"{text!r} is no edit. {HOW}")
    verb, operand, steps = found.group("verb", "operand", "steps")
    inside = found["cell"] or ""
    at_steps = None if steps is None else [int(step) for step in steps.split(",")]
    if verb == "mask_attention":
        # Its places may stand without brackets, as there is no tensor to name.
        return mask(text, read_cell(inside or operand or "", text), at_steps)
    name = found["name"]
    more: dict[str, Any] = {**read_cell(inside, text), "at_steps": at_steps}
    match verb:
        case "zero" if not operand:
            return edits.zero(name, **more)
        case "set_to":
            return edits.set_to(name, value(text, operand), **more)
        case "scale":
            return edits.scale(name, number(text, operand), **more)
        case "add":
            return edits.add(name, value(text, operand), **more)
        case "mean_over" if operand:
            return edits.mean_over(name, operand, **more)
        case "copy_from" if operand:
            return edits.copy_from(name, load(operand), **more)
    near = "" if verb in VERBS else did_you_mean(verb, VERBS)
    raise PellucidError(f"{text!r} is no edit.{near} {HOW}")


def read_cell(inside: str, text: str) -> dict[str, Places]:
    """What stands in the brackets.

    Raises:
        PellucidError: it names no places.
    """
    cell: dict[str, Places] = {}
    at = 0
    while at < len(inside.rstrip()):
        places = PLACES.match(inside, at)
        if places is None:
            raise PellucidError(f"{inside[at:].strip()!r} in {text!r} is no dim=place. {HOW}")
        dim, value = places.groups()
        if dim in cell:
            raise PellucidError(f"{dim} is given twice in {text!r}.")
        cell[dim] = read_places(value)
        at = places.end()
    return cell


def read_places(value: str) -> Places:
    """An index, a label, several of these, or a span."""
    span = SPAN.fullmatch(value)
    if span is not None:
        return Span(*(int(end) if end else None for end in span.groups()))
    several = tuple(read_place(each.rstrip()) for each in EACH.findall(value))
    return several[0] if len(several) == 1 else several


def number(text: str, operand: str | None) -> float:
    """The number behind a name."""
    try:
        return float(operand or "")
    except ValueError:
        raise PellucidError(f"{text!r} lacks its number. {HOW}") from None


def value(text: str, operand: str | None) -> Any:
    """The number behind a name, or a list of numbers as JSON writes it."""
    if operand is None or not operand.startswith("["):
        return number(text, operand)
    try:
        return json.loads(operand)
    except ValueError:
        raise PellucidError(f"{operand!r} is no list of numbers, such as [1, 2.5].") from None


def mask(text: str, places: dict[str, Any], at_steps: list[int] | None) -> Edit:
    """Keys that queries shall not see."""
    for dim in places:
        if dim not in ("query", "key", "head", "layer"):
            near = did_you_mean(dim, ("query", "key", "head", "layer"))
            raise PellucidError(
                f"{dim!r} in {text!r} is none of query, key, head and layer, which "
                f"mask_attention takes.{near}"
            )
    return edits.mask_attention(**places, at_steps=at_steps)


def load(path: str) -> Trace:
    """The trace in a file."""
    from pellucid.trace.trace import Trace

    return Trace.load(path)
